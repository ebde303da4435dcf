/** The changes feed: its filters, its selector language and its four forms. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.feed;

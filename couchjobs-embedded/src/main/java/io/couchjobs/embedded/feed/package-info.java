/** The changes feed: its filters, the selector language, and the four forms of a feed. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.feed;

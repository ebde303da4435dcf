/** The front door of couchjobs. */
@org.jspecify.annotations.NullMarked
package io.couchjobs;

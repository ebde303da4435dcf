/** Retention and garbage collection: what is deleted, purged and compacted, and when. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.gc;

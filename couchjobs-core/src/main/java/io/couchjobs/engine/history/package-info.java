/** Counts what workers did, by minute and hour. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.history;

/**
 * The implementation of couchjobs, which is not exported. {@link io.couchjobs.engine.Engine} wires its parts; the rooms are
 * described in {@code docs/architecture.md}.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine;

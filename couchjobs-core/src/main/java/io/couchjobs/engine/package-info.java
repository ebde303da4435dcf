/**
 * The implementation of couchjobs, which is not exported. {@link io.couchjobs.engine.Engine} wires its parts; {@code
 * docs/architecture.md} describes the packages.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine;

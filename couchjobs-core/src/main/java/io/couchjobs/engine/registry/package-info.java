/** The workers that have registered, and which of them are silent. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.registry;

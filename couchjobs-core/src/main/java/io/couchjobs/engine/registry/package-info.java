/** The registrations of workers, and which workers are silent. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.registry;

/**
 * Scopes: jobs by type and partition, each with a service of its own that can be started and stopped, and that takes only so
 * many. Source: Riak Core Jobs. Begin with {@link io.couchjobs.scope.Scopes}.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.scope;

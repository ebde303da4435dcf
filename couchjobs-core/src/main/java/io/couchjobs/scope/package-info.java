/**
 * Scopes: groups of jobs by type and partition. A scope can be started and stopped, and accepts a limited number of jobs. Source:
 * Riak Core Jobs. Start with {@link io.couchjobs.scope.Scopes}.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.scope;

/** Starts, stops and serves scopes: jobs by type and partition, each with a service of its own. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.scope;

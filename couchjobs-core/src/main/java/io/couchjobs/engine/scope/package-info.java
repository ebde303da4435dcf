/** Starts, stops and serves scopes. A scope has the jobs of a type and a partition, and a service of its own. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.scope;

/** The HTTP transport below {@link io.couchjobs.couch.CouchServer}: nodes, connections, authentication and retries. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.couch;

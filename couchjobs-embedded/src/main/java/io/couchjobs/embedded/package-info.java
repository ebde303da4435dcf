/** The embedded CouchDB-compatible server, for development and tests. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded;

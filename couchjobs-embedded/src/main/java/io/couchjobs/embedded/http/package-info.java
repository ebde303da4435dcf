/** CouchDB's HTTP API on the JDK's HTTP server: one small class per group of resources. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.http;

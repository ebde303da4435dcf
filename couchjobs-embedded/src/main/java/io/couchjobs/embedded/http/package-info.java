/** CouchDB's HTTP interface: one small class per group of resources, on the JDK's HTTP server. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.http;

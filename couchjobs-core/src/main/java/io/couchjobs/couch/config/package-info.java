/** How to reach a CouchDB server, and the exceptions that say why a request failed. No I/O. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.couch.config;

/** The configuration of the CouchDB client, and the exceptions of failed requests. This package sends no requests. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.couch.config;

/**
 * A CouchDB client: databases, documents, bulk writes that report per document, views and the changes feed.
 *
 * <p>It knows nothing about jobs. Start at {@link io.couchjobs.couch.CouchServer}; what a write came to is a
 * {@link io.couchjobs.couch.WriteResult}, trouble is a {@link io.couchjobs.couch.config.CouchException}. Everything public here
 * is safe for use by several threads, unless it says otherwise.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.couch;

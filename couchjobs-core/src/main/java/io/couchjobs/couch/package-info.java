/**
 * A CouchDB client: databases, documents, bulk writes that report per document, views and the changes feed.
 *
 * <p>The client knows nothing about jobs. Start at {@link io.couchjobs.couch.CouchServer}. The result of a write is a {@link
 * io.couchjobs.couch.WriteResult}; a failed request throws a {@link io.couchjobs.couch.config.CouchException}. Public types
 * are thread-safe unless their Javadoc says otherwise.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.couch;

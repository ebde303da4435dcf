/**
 * A CouchDB-compatible server inside the process, for development and tests: {@link io.couchjobs.embedded.EmbeddedCouch}
 * starts it. It is not for production.
 *
 * <p>To read it, follow a write: {@code http.Router} finds the handler, {@code http.Edits} checks what the client sent,
 * {@code store.Database} puts it into the document's revision tree ({@code tree.RevTree}) and makes it durable
 * ({@code store.Commits}). Then a read: {@code view.ViewGroup} maps what changed, {@code view.ViewReader} answers from
 * the index; {@code feed.Feed} writes the changes. The layers point one way: protocol, tree, store, view, feed, http.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded;

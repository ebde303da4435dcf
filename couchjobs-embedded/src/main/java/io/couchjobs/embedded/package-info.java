/**
 * An in-process, CouchDB-compatible server for development and tests, not for production. {@link
 * io.couchjobs.embedded.EmbeddedCouch} starts the server.
 *
 * <p>To read the code, follow a write first: {@code http.Router} finds the handler, {@code http.Edits} checks the client's
 * document, and {@code store.Database} adds it to the document's revision tree ({@code tree.RevTree}) and makes it durable
 * ({@code store.Commits}). Then follow a read: {@code view.ViewGroup} maps changed documents, {@code view.ViewReader} answers
 * from the index, and {@code feed.Feed} writes the changes. Each layer uses only the layers before it: protocol, tree, store,
 * view, feed, http.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded;

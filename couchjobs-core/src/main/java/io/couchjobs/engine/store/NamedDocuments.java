package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.MalformedDocumentException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The named documents of one kind, such as schedules. Other programs can write invalid ones. Thread-safe.
 *
 * @param <T> the type that a document is parsed to
 */
public final class NamedDocuments<T> {
    private final SharedDocuments documents;
    private final String prefix;
    private final UnaryOperator<String> docId;
    private final Function<ObjectNode, T> parse;

    /**
     * Creates an instance without I/O.
     *
     * @param prefix the prefix of the {@code _id}s, before the name
     * @param parse parses a document, and throws {@link MalformedDocumentException} if it is invalid
     */
    public NamedDocuments(
            SharedDocuments documents, String prefix, UnaryOperator<String> docId, Function<ObjectNode, T> parse) {
        this.documents = documents;
        this.prefix = prefix;
        this.docId = docId;
        this.parse = parse;
    }

    /** Reads the document with a name. */
    public Optional<ObjectNode> read(String name) {
        return documents.read(docId.apply(name));
    }

    /** {@return all documents, by name} */
    public Map<String, ObjectNode> readAll() {
        Map<String, ObjectNode> all = new TreeMap<>();
        documents
                .readAll(prefix)
                .forEach(document -> all.put(document.path("_id").asText().substring(prefix.length()), document));
        return all;
    }

    /** {@return all valid documents, parsed, in the order of their ids} */
    public List<T> all() {
        return documents.readAll(prefix).stream()
                .flatMap(document -> parsed(document).stream())
                .toList();
    }

    /** {@return the problems of the invalid documents, by name} */
    public Map<String, String> malformed() {
        Map<String, String> problems = new TreeMap<>();
        readAll().forEach((name, document) -> {
            try {
                T unused = parse.apply(document);
            } catch (MalformedDocumentException wrong) {
                problems.put(name, String.valueOf(wrong.getMessage()));
            }
        });
        return problems;
    }

    /** {@return the parsed document; empty when it is invalid} */
    public Optional<T> parsed(ObjectNode document) {
        try {
            return Optional.of(parse.apply(document));
        } catch (MalformedDocumentException leftOut) {
            return Optional.empty();
        }
    }

    /** Changes the document with a name as {@link SharedDocuments#change} does. */
    public ObjectNode change(String name, UnaryOperator<ObjectNode> change) {
        return documents.change(docId.apply(name), change);
    }

    /** Removes the document with a name, and returns whether there was one. */
    public boolean remove(String name) {
        boolean isThere = read(name).isPresent();
        if (isThere) {
            documents.remove(docId.apply(name));
        }
        return isThere;
    }
}

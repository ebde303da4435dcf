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
 * The documents of one kind that have a name, such as schedules. Thread-safe. Anybody can write one that cannot be of its kind.
 *
 * @param <T> what such a document stands for
 */
public final class NamedDocuments<T> {
    private final SharedDocuments documents;
    private final String prefix;
    private final UnaryOperator<String> docId;
    private final Function<ObjectNode, T> parse;

    /**
     * No I/O.
     *
     * @param prefix the prefix of their {@code _id}s, in front of the name
     * @param parse reads a document, and throws {@link MalformedDocumentException} when it cannot be one
     */
    public NamedDocuments(
            SharedDocuments documents, String prefix, UnaryOperator<String> docId, Function<ObjectNode, T> parse) {
        this.documents = documents;
        this.prefix = prefix;
        this.docId = docId;
        this.parse = parse;
    }

    /** Reads the document of a name. */
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

    /** {@return those that can be one, in the order of the documents} */
    public List<T> all() {
        return documents.readAll(prefix).stream()
                .flatMap(document -> parsed(document).stream())
                .toList();
    }

    /** {@return the problems of the others, by name} */
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

    /** {@return what a document stands for; empty when it cannot be one} */
    public Optional<T> parsed(ObjectNode document) {
        try {
            return Optional.of(parse.apply(document));
        } catch (MalformedDocumentException leftOut) {
            return Optional.empty();
        }
    }

    /** Changes the document of a name as {@link SharedDocuments#change} does. */
    public ObjectNode change(String name, UnaryOperator<ObjectNode> change) {
        return documents.change(docId.apply(name), change);
    }

    /** {@return false when there is no document of that name to be removed} */
    public boolean remove(String name) {
        boolean isThere = read(name).isPresent();
        if (isThere) {
            documents.remove(docId.apply(name));
        }
        return isThere;
    }
}

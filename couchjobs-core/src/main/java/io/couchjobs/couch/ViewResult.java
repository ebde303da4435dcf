package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchJobsException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a view.
 *
 * @param totalRows rows in the whole view; -1 when the server does not say (reduced views)
 * @param offset rows before the first one given; -1 when the server does not say
 * @param rows the rows, in the view's order
 */
public record ViewResult(long totalRows, long offset, List<Row> rows) {
    private static final String NOT_FOUND = "not_found";

    /**
     * Copies the rows.
     *
     * @param totalRows rows in the view or -1
     * @param offset rows before or -1
     * @param rows the rows
     */
    public ViewResult {
        rows = List.copyOf(rows);
    }

    /**
     * The rows of documents that were asked for by their ids, in {@code _all_docs}. Rows of ids that were never used
     * say {@code not_found}.
     *
     * @return the rows
     * @throws CouchJobsException when the server could not read one of the documents, which may well be there
     */
    public List<Row> documentRows() {
        for (Row row : rows) {
            if (row.error().filter(error -> !error.equals(NOT_FOUND)).isPresent()) {
                throw new CouchJobsException(
                        "of " + row.key() + " the server says " + row.error().get());
            }
        }
        return rows;
    }

    /**
     * One row.
     *
     * @param id the document it came from; null in reduced views and for a key that {@code _all_docs} does not have
     * @param key its key
     * @param value its value; JSON null when there is none
     * @param doc the document, with {@code includeDocs}; null when it is gone
     * @param error why there is no such row, {@code not_found} for a missing key
     */
    public record Row(
            @Nullable String id,
            JsonNode key,
            JsonNode value,
            @Nullable ObjectNode doc,
            Optional<String> error) {}
}

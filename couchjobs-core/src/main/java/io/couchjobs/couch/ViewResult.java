package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchJobsException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of a query to a view.
 *
 * @param totalRows the number of rows in the whole view; -1 when the server does not say (reduced views)
 * @param offset the number of rows before the first returned row; -1 when the server does not say
 * @param rows the rows, in the view's order
 */
public record ViewResult(long totalRows, long offset, List<Row> rows) {
    private static final String NOT_FOUND = "not_found";

    /**
     * Copies the rows.
     *
     * @param totalRows the number of rows in the view, or -1
     * @param offset the number of rows before the first one, or -1
     * @param rows the rows
     */
    public ViewResult {
        rows = List.copyOf(rows);
    }

    /**
     * Returns the rows of a query to {@code _all_docs} by ids. A row of an id that was never used has the error {@code
     * not_found}.
     *
     * @return the rows
     * @throws CouchJobsException if the server could not read one of the documents, which may exist nevertheless
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
     * @param id the id of its document; null in reduced views and for a key that {@code _all_docs} does not have
     * @param key the key
     * @param value the value; JSON null when there is none
     * @param doc the document, if requested by {@code includeDocs}; null when it does not exist any more
     * @param error why the row has no value, such as {@code not_found} for a missing key
     */
    public record Row(
            @Nullable String id,
            JsonNode key,
            JsonNode value,
            @Nullable ObjectNode doc,
            Optional<String> error) {}
}

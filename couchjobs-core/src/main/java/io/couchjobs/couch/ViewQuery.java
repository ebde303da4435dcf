package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A query to a view. Immutable: every method returns a new query.
 *
 * <p>Keys are JSON values: a {@link JsonNode}, a string, number, boolean, list or map. One argument is the key itself;
 * several arguments are the elements of an array. {@code key("a")} selects {@code "a"}, {@code key("a", 1)} selects {@code
 * ["a",1]}, and {@code key(List.of("a"))} selects {@code ["a"]}. Parameters that are not set have the server's defaults.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/api/ddoc/views.html">CouchDB: views</a>
 */
public final class ViewQuery {

    /** When a view updates its index. */
    public enum Update {
        /** Update the index, then answer. The default. */
        TRUE,
        /** Answer from the present index. */
        FALSE,
        /** Answer from the present index, and update it afterwards. */
        LAZY
    }

    private final Optional<String> designDoc;
    private final String view;
    private final ObjectNode parameters;

    private ViewQuery(Optional<String> designDoc, String view, ObjectNode parameters) {
        this.designDoc = designDoc;
        this.view = view;
        this.parameters = parameters;
    }

    /**
     * {@return a query for all rows of a view}
     *
     * @param designDoc the design document's name, with or without {@code _design/}
     * @param view the view's name
     */
    public static ViewQuery of(String designDoc, String view) {
        return new ViewQuery(Optional.of(UrlPath.designName(designDoc)), view, Json.object());
    }

    /** {@return a query for all documents, keyed by id} */
    public static ViewQuery allDocs() {
        return new ViewQuery(Optional.empty(), "_all_docs", Json.object());
    }

    /** {@return the design document's name without {@code _design/}; empty for all documents} */
    public Optional<String> designDoc() {
        return designDoc;
    }

    /** {@return the view's name, {@code _all_docs} for all documents} */
    public String view() {
        return view;
    }

    /**
     * {@return this query, for rows with exactly this key}
     *
     * @param key the key or its first part
     * @param more its other parts
     */
    public ViewQuery key(Object key, Object... more) {
        return with("key", keyOf(key, more));
    }

    /**
     * {@return this query, for rows with one of these keys, in the order of the keys}
     *
     * @param keys the keys, each a JSON value
     */
    public ViewQuery keys(Collection<?> keys) {
        return with("keys", Json.value(List.copyOf(keys)));
    }

    /**
     * {@return this query, from this key on, inclusive}
     *
     * @param key the key or its first part
     * @param more its other parts
     */
    public ViewQuery startKey(Object key, Object... more) {
        return with("start_key", keyOf(key, more));
    }

    /**
     * {@return this query, up to this key, inclusive unless {@link #inclusiveEnd} says otherwise}
     *
     * @param key the key or its first part
     * @param more its other parts
     */
    public ViewQuery endKey(Object key, Object... more) {
        return with("end_key", keyOf(key, more));
    }

    /**
     * {@return this query, starting at this document among the rows with the start key}
     *
     * @param id a document id; the server ignores it if there is no start key
     */
    public ViewQuery startKeyDocId(String id) {
        return with("start_key_doc_id", TextNode.valueOf(id));
    }

    /**
     * {@return this query, ending at this document among the rows with the end key}
     *
     * @param id a document id; the server ignores it if there is no end key
     */
    public ViewQuery endKeyDocId(String id) {
        return with("end_key_doc_id", TextNode.valueOf(id));
    }

    /**
     * {@return this query, with or without the rows of the end key}
     *
     * @param inclusive default true
     */
    public ViewQuery inclusiveEnd(boolean inclusive) {
        return with("inclusive_end", BooleanNode.valueOf(inclusive));
    }

    /**
     * {@return this query, in descending or ascending order of keys; in descending order the start key is the greatest}
     *
     * @param descending default false
     */
    public ViewQuery descending(boolean descending) {
        return with("descending", BooleanNode.valueOf(descending));
    }

    /**
     * {@return this query, with a limit to the number of rows}
     *
     * @param rows not negative; default all
     */
    public ViewQuery limit(long rows) {
        return with("limit", LongNode.valueOf(notNegative(rows)));
    }

    /**
     * {@return this query, without the first rows} The server reads the skipped rows nevertheless, so page by key instead.
     *
     * @param rows not negative; default 0
     */
    public ViewQuery skip(long rows) {
        return with("skip", LongNode.valueOf(notNegative(rows)));
    }

    /**
     * {@return this query, with or without each row's present document, which may be newer than the row}
     *
     * @param include default false
     */
    public ViewQuery includeDocs(boolean include) {
        return with("include_docs", BooleanNode.valueOf(include));
    }

    /**
     * {@return this query, with or without {@code _conflicts} in the documents}
     *
     * @param conflicts default false
     */
    public ViewQuery conflicts(boolean conflicts) {
        return with("conflicts", BooleanNode.valueOf(conflicts));
    }

    /**
     * {@return this query, reduced or not}
     *
     * @param reduce default true when the view has a reduce function
     */
    public ViewQuery reduce(boolean reduce) {
        return with("reduce", BooleanNode.valueOf(reduce));
    }

    /**
     * {@return this query, reduced per key or over all rows}
     *
     * @param group default false
     */
    public ViewQuery group(boolean group) {
        return with("group", BooleanNode.valueOf(group));
    }

    /**
     * {@return this query, reduced per group of keys with the same first elements}
     *
     * @param level how many elements define a group
     */
    public ViewQuery groupLevel(int level) {
        return with("group_level", IntNode.valueOf(level));
    }

    /**
     * {@return this query, with or without an update of the index}
     *
     * @param update default {@link Update#TRUE}
     */
    public ViewQuery update(Update update) {
        return with(
                "update",
                switch (update) {
                    case TRUE -> BooleanNode.TRUE;
                    case FALSE -> BooleanNode.FALSE;
                    case LAZY -> TextNode.valueOf("lazy");
                });
    }

    /** {@return a copy of the parameters as the body of a request} */
    public ObjectNode toJson() {
        return parameters.deepCopy();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ViewQuery that
                && designDoc.equals(that.designDoc)
                && view.equals(that.view)
                && parameters.equals(that.parameters);
    }

    @Override
    public int hashCode() {
        return Objects.hash(designDoc, view, parameters);
    }

    @Override
    public String toString() {
        return designDoc.map(name -> name + "/").orElse("") + view + parameters;
    }

    private ViewQuery with(String name, JsonNode value) {
        ObjectNode changed = parameters.deepCopy();
        changed.set(name, value);
        return new ViewQuery(designDoc, view, changed);
    }

    private static JsonNode keyOf(Object first, Object... more) {
        if (more.length == 0) {
            return Json.value(first);
        }
        List<Object> parts = new ArrayList<>(List.of(first));
        parts.addAll(List.of(more));
        return Json.value(parts);
    }

    private static long notNegative(long rows) {
        if (rows < 0) {
            throw new IllegalArgumentException("a number of rows cannot be negative: " + rows);
        }
        return rows;
    }
}

package io.couchjobs.couch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A request to the changes feed. Immutable: every method returns a new request.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/api/database/changes.html">CouchDB: changes</a>
 */
public final class ChangesRequest {

    /** The position after all existing changes. */
    public static final String NOW = "now";

    /** The server's behaviour after it has sent all existing changes. */
    public enum Feed {
        /** The server ends the feed. */
        NORMAL,
        /** The server ends the feed. If it had no change to send, it first waits for one. */
        LONGPOLL,
        /** The server keeps sending changes as they happen. */
        CONTINUOUS
    }

    private static final Duration DEFAULT_HEARTBEAT = Duration.ofSeconds(10);

    private final Feed feed;
    private final String since;
    private final Duration heartbeat;
    private final Map<String, String> options;
    private final Optional<ObjectNode> body;

    private ChangesRequest(
            Feed feed, String since, Duration heartbeat, Map<String, String> options, Optional<ObjectNode> body) {
        this.feed = feed;
        this.since = since;
        this.heartbeat = heartbeat;
        this.options = options;
        this.body = body;
    }

    /**
     * {@return a request for all changes from the beginning}
     *
     * @param feed the server's behaviour after the last existing change
     */
    public static ChangesRequest of(Feed feed) {
        return new ChangesRequest(feed, "0", DEFAULT_HEARTBEAT, Map.of(), Optional.empty());
    }

    /** {@return a request for all existing changes} */
    public static ChangesRequest normal() {
        return of(Feed.NORMAL);
    }

    /** {@return a request for all existing changes, or the next change if there are none} */
    public static ChangesRequest longpoll() {
        return of(Feed.LONGPOLL);
    }

    /** {@return a request for all existing and future changes} */
    public static ChangesRequest continuous() {
        return of(Feed.CONTINUOUS);
    }

    /**
     * {@return this request, starting after a position}
     *
     * @param seq a position from the server, or {@link #NOW}; default {@code "0"}, the beginning
     */
    public ChangesRequest since(String seq) {
        return new ChangesRequest(feed, seq, heartbeat, options, body);
    }

    /**
     * {@return this request, with an interval for heartbeats}
     *
     * @param every the interval; default 10 s, at least 1 ms. A feed that is silent for three intervals counts as broken
     */
    public ChangesRequest heartbeat(Duration every) {
        if (every.toMillis() < 1) {
            throw new IllegalArgumentException("a heartbeat must be at least 1 ms apart: " + every);
        }
        return new ChangesRequest(feed, since, every, options, body);
    }

    /**
     * {@return this request, with or without the documents}
     *
     * @param include default false
     */
    public ChangesRequest includeDocs(boolean include) {
        return with("include_docs", String.valueOf(include));
    }

    /**
     * {@return this request, with or without {@code _conflicts} in the documents}
     *
     * @param conflicts default false
     */
    public ChangesRequest conflicts(boolean conflicts) {
        return with("conflicts", String.valueOf(conflicts));
    }

    /**
     * {@return this request, with all leaves of a document or only the winner}
     *
     * @param all default false
     */
    public ChangesRequest styleAllDocs(boolean all) {
        return with("style", all ? "all_docs" : "main_only");
    }

    /**
     * {@return this request, where only one of several changes has a position; servers other than CouchDB send all positions}
     *
     * @param changes how many changes share a position; at least 1, default 1. A change without a position gets that of the
     *     previous change
     */
    public ChangesRequest seqInterval(int changes) {
        if (changes < 1) {
            throw new IllegalArgumentException("a position comes with every change or with fewer: " + changes);
        }
        return with("seq_interval", String.valueOf(changes));
    }

    /**
     * {@return this request, newest change first or not}
     *
     * @param descending default false
     */
    public ChangesRequest descending(boolean descending) {
        return with("descending", String.valueOf(descending));
    }

    /**
     * {@return this request, with a limit to the number of changes}
     *
     * @param changes at least 1 (the server would treat 0 as 1); default no limit
     */
    public ChangesRequest limit(long changes) {
        if (changes < 1) {
            throw new IllegalArgumentException("a feed's limit is at least 1: " + changes);
        }
        return with("limit", String.valueOf(changes));
    }

    /**
     * {@return this request, which the server ends after a time without changes; replaces heartbeats}
     *
     * @param idle the time without changes; default no end
     */
    public ChangesRequest timeout(Duration idle) {
        return with("timeout", String.valueOf(idle.toMillis()));
    }

    /**
     * {@return this request, for these documents only; replaces a selector}
     *
     * @param ids document ids
     */
    public ChangesRequest docIds(Collection<String> ids) {
        ObjectNode filter = Json.object();
        ids.forEach(filter.putArray("doc_ids")::add);
        return with("filter", "_doc_ids").withBody(filter);
    }

    /**
     * {@return this request, for documents that match a selector; replaces document ids}
     *
     * @param selector a Mango selector
     */
    public ChangesRequest selector(ObjectNode selector) {
        ObjectNode filter = Json.object();
        filter.set("selector", selector.deepCopy());
        return with("filter", "_selector").withBody(filter);
    }

    /** {@return the server's behaviour after the last existing change} */
    public Feed feed() {
        return feed;
    }

    /** {@return the position to start after} */
    public String since() {
        return since;
    }

    /** {@return the interval of heartbeats} */
    public Duration heartbeat() {
        return heartbeat;
    }

    private Map<String, String> query() {
        Map<String, String> query = new TreeMap<>(options);
        query.put("feed", feed.name().toLowerCase(Locale.ROOT));
        query.put("since", since);
        if (!query.containsKey("timeout")) {
            query.put("heartbeat", String.valueOf(heartbeat.toMillis()));
        }
        return query;
    }

    Call call(UrlPath database) {
        UrlPath path = database.segment("_changes");
        for (Map.Entry<String, String> option : query().entrySet()) {
            path = path.query(option.getKey(), option.getValue());
        }
        return body.isPresent() ? Call.ask(path, body.get().deepCopy()) : Call.get(path);
    }

    /**
     * Returns how long a live server may be silent. A feed of past changes may be silent as long as any other answer, because
     * the server searches before it sends the first row.
     */
    Duration longestSilence(Duration responseTimeout) {
        Duration idle = Duration.ofMillis(Long.parseLong(options.getOrDefault("timeout", "0")));
        Duration silence = heartbeat.multipliedBy(3).plus(idle);
        boolean shorter = silence.compareTo(responseTimeout) < 0;
        return feed == Feed.NORMAL && shorter ? responseTimeout : silence;
    }

    @Override
    public String toString() {
        return "_changes" + query() + body.map(ObjectNode::toString).orElse("");
    }

    private ChangesRequest with(String name, String value) {
        Map<String, String> changed = new TreeMap<>(options);
        changed.put(name, value);
        return new ChangesRequest(feed, since, heartbeat, Collections.unmodifiableMap(changed), body);
    }

    private ChangesRequest withBody(ObjectNode filter) {
        return new ChangesRequest(feed, since, heartbeat, options, Optional.of(filter));
    }
}

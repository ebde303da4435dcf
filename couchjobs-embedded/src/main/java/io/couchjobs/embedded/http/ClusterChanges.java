package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.cluster.Coordinator;
import io.couchjobs.embedded.cluster.FeedPage;
import io.couchjobs.embedded.cluster.FeedRow;
import io.couchjobs.embedded.cluster.NodeFeed;
import io.couchjobs.embedded.feed.FeedRequest;
import io.couchjobs.embedded.feed.LeafFilter;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Doc;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Handles {@code _changes} in a cluster: normal, longpoll and continuous feeds. A feed breaks off when its copy is lost. */
final class ClusterChanges {
    private static final long LONGEST_WAIT = 60_000;

    private final Call call;
    private final ClusterNode node;
    private final String database;
    private final LeafFilter filter;
    private final OutputStream out;
    private final long seqInterval;
    private String position;
    private long left;

    private ClusterChanges(Call call, ClusterNode node, String database, OutputStream out) throws IOException {
        this.call = call;
        this.node = node;
        this.database = database;
        this.out = out;
        ObjectNode body = call.is("POST") ? call.jsonObjectOrNone() : Json.object();
        this.filter = ChangesHandler.leafFilter(call, node.own(database), User.ANYBODY, body);
        this.left =
                call.param("limit").map(text -> Params.number("limit", text)).orElse(FeedRequest.NO_LIMIT);
        this.seqInterval = ChangesHandler.seqInterval(call);
        this.position = since();
    }

    /** Answers a request. Closes the output only after a complete answer, so that a client can detect an incomplete one. */
    static void answer(Call call, ClusterNode node, String database) throws IOException {
        call.allow("GET", "HEAD", "POST");
        node.own(database);
        FeedRequest.Form form = ChangesHandler.form(call);
        OutputStream out = call.stream(200, "application/json");
        out.flush();
        ClusterChanges changes = new ClusterChanges(call, node, database, out);
        if (form == FeedRequest.Form.CONTINUOUS) {
            changes.follow();
        } else {
            changes.once(form == FeedRequest.Form.LONGPOLL);
        }
        out.close();
    }

    private String since() throws IOException {
        String since = call.param("since").orElse("0").replace("\"", "");
        return since.equals("now") ? node.ask(database, Coordinator::position) : since;
    }

    private FeedPage page(String since) throws IOException {
        return node.ask(database, (at, then) -> at.changes(since, then));
    }

    private void once(boolean waits) throws IOException {
        write("{\"results\":[\n");
        FeedPage page = page(position);
        if (waits && page.rows().stream().noneMatch(this::isWanted)) {
            position = page.lastSeq();
            awaitOne();
            page = page(position);
        }
        String separator = "";
        for (FeedRow row : page.rows()) {
            if (left > 0 && isWanted(row)) {
                write(separator + Json.text(json(row)));
                left--;
                separator = ",\n";
                position = row.seq();
            }
        }
        write("\n],\n\"last_seq\":\"" + (left > 0 ? page.lastSeq() : position) + "\",\"pending\":0}\n");
    }

    private void awaitOne() throws IOException {
        try (NodeFeed feed = node.follow(database, position)) {
            Optional<FeedRow> unused = feed.next(patience());
        }
    }

    private void follow() throws IOException {
        try (NodeFeed feed = node.follow(database, position)) {
            boolean goesOn = true;
            while (goesOn && left > 0) {
                Optional<FeedRow> row = feed.next(patience());
                goesOn = row.isPresent() || heartbeat() > 0;
                write(row.filter(this::isWanted).map(this::line).orElse("\n"));
                out.flush();
            }
        }
        write("{\"last_seq\":\"" + position + "\",\"pending\":0}\n");
    }

    private String line(FeedRow row) {
        String line = Json.text(json(row)) + "\n";
        left--;
        position = row.seq();
        return line;
    }

    private boolean isWanted(FeedRow row) {
        return !filter.chosen(row.doc()).isEmpty();
    }

    private long patience() {
        long timeout = call.param("timeout")
                .map(text -> Params.number("timeout", text))
                .orElse(LONGEST_WAIT);
        return Math.min(LONGEST_WAIT, heartbeat() > 0 ? heartbeat() : timeout);
    }

    private long heartbeat() {
        return call.param("heartbeat")
                .filter(text -> !text.equals("false"))
                .map(text -> text.equals("true") ? LONGEST_WAIT : Params.number("heartbeat", text))
                .orElse(0L);
    }

    private ObjectNode json(FeedRow row) {
        Doc doc = row.doc();
        ObjectNode json = Json.object()
                .put("seq", left % seqInterval == 0 ? row.seq() : null)
                .put("id", doc.id());
        ArrayNode changes = json.putArray("changes");
        filter.chosen(doc)
                .forEach(leaf -> changes.addObject().put("rev", leaf.rev().toString()));
        if (doc.node().deleted()) {
            json.put("deleted", true);
        }
        if (call.flag("include_docs")) {
            json.set("doc", call.flag("conflicts") ? doc.jsonWithConflicts() : doc.json());
        }
        return json;
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}

package io.couchjobs.peers;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.job.JobId;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The server without a queue: documents of the same size are read a thousand at a time, and each is written twice. */
final class RawPeer implements Peer {
    private static final int AT_ONCE = 1_000;

    private final CouchServer server;
    private final CouchDatabase database;
    private final List<String> ids = new ArrayList<>();
    private int ended;

    RawPeer(URI url) {
        this.server = CouchServer.connect(CouchConfig.builder(url).build());
        this.database = server.database("couchjobs-peers-" + UUID.randomUUID());
        database.createIfMissing();
    }

    @Override
    public void addAll(int jobs) {
        for (int left = jobs; left > 0; left -= AT_ONCE) {
            List<ObjectNode> some = new ArrayList<>();
            for (int i = 0; i < Math.min(left, AT_ONCE); i++) {
                some.add(document());
            }
            write(some);
            some.forEach(each -> ids.add(each.path("_id").asText()));
        }
    }

    @Override
    public void add() {
        database.put(document());
    }

    @Override
    public void start(int places, Runnable onRun) {
        for (int from = 0; from < ids.size(); from += AT_ONCE) {
            List<ObjectNode> some = database.getAll(ids.subList(from, Math.min(ids.size(), from + AT_ONCE))).stream()
                    .flatMap(Optional::stream)
                    .toList();
            some.forEach(each -> each.put("status", "running"));
            write(some);
            some.forEach(each -> {
                each.put("status", "success");
                onRun.run();
            });
            write(some);
            ended += some.size();
        }
    }

    @Override
    public boolean haveEnded(int runs) {
        return ended >= runs;
    }

    @Override
    public void close() {
        database.delete();
        server.close();
    }

    private static ObjectNode document() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", JobId.random("bench").docId()).put("status", "waiting");
        document.putObject("data").put("text", Payload.TEXT);
        return document;
    }

    /** Writes the documents, and sets their new revisions. */
    private void write(List<ObjectNode> documents) {
        List<WriteResult> results = database.bulkDocs(documents);
        for (int i = 0; i < documents.size(); i++) {
            if (!(results.get(i) instanceof WriteResult.Stored stored)) {
                throw new IllegalStateException("the server did not store " + documents.get(i));
            }
            documents.get(i).put("_rev", stored.rev());
        }
    }
}

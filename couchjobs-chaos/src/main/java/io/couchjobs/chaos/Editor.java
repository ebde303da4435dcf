package io.couchjobs.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.JobId;
import io.couchjobs.trigger.Trigger;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Saves documents that change repeatedly. For some, a trigger makes a job of the newest state; for the others, a second trigger
 * makes a job of each revision. The editor notes nothing, because the final contents of the databases determine which jobs must
 * exist. Not thread-safe.
 */
final class Editor implements AutoCloseable {
    /** The field with the name of the program that saved a document. */
    static final String BY = "by";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int ROUNDS = 10;
    private static final int SHARE_OF_EACH = 10;
    /** After each action, one document in this many is replaced by a new one. */
    private static final int SHARE_OF_RESTING = 10;

    private final JobQueue queue;
    private final Random random;
    private final int sources;
    private final int changes;
    private final String name;
    private final List<SourceWriter> writers;
    private final Map<String, Map<String, String>> known = new HashMap<>();
    private boolean isFollowed;
    private int made;

    Editor(JobQueue queue, Random random, int sources, int changes) {
        this.queue = queue;
        this.random = random;
        this.sources = sources;
        this.changes = changes;
        this.name = Long.toString(System.nanoTime(), Character.MAX_RADIX);
        this.writers = sources > 0 && changes > 0 ? SourceWriter.all() : List.of();
        System.err.println("documents are changed by " + writers);
    }

    static String prefix(Kind kind) {
        return kind.type() + "-";
    }

    /** Returns whether a document is one that changes repeatedly. */
    static boolean isOfOne(String docId) {
        return docId.startsWith(prefix(Kind.NEWEST)) || docId.startsWith(prefix(Kind.EACH));
    }

    /** Returns the id of the job of one revision. */
    static JobId jobOf(String docId, String rev) {
        return new JobId(Kind.EACH.type(), docId + "/" + rev);
    }

    void edit() {
        try {
            follow();
            CouchDatabase source = queue.database().server().database(Saver.prefix(queue) + random.nextInt(sources));
            boolean unused = source.createIfMissing();
            edit(source);
        } catch (CouchJobsException | IOException trouble) {
            System.err.println("cannot change documents: " + trouble.getMessage());
        }
    }

    private void follow() {
        if (isFollowed) {
            return;
        }
        put(Kind.NEWEST, Trigger.Delivery.LATEST, "{_id}");
        put(Kind.EACH, Trigger.Delivery.EVERY, "{_id}/{_rev}");
        isFollowed = true;
    }

    private void put(Kind kind, Trigger.Delivery delivery, String id) {
        ObjectNode task = MAPPER.createObjectNode().put("rev", "{_rev}");
        List.of("millis", "failures", "stubborn").forEach(field -> task.put(field, "{/" + field + "}"));
        var unused = queue.triggers()
                .put(Trigger.named("chaos-" + kind.type())
                        .source(Saver.prefix(queue) + "*")
                        .from("beginning")
                        .prefixes(prefix(kind))
                        .deliver(delivery)
                        .type(kind.type())
                        .id(id)
                        .data(task)
                        .build());
    }

    /** Changes the same documents several times in a row, so that most jobs still wait when their document changes again. */
    private void edit(CouchDatabase source) throws IOException {
        Map<String, String> revisions = known.computeIfAbsent(source.name(), any -> new HashMap<>());
        for (int round = 0; round < ROUNDS; round++) {
            List<ObjectNode> documents = new ArrayList<>();
            revisions.forEach((id, rev) -> documents.add(task().put("_id", id).put("_rev", rev)));
            while (documents.size() < Math.max(1, changes / ROUNDS)) {
                documents.add(task().put("_id", newId()));
            }
            SourceWriter writer = writers.get(random.nextInt(writers.size()));
            documents.forEach(document -> document.put(BY, writer.toString()));
            revisions.clear();
            revisions.putAll(writer.save(source, url(source), documents));
        }
        revisions.keySet().removeIf(any -> random.nextInt(SHARE_OF_RESTING) == 0);
    }

    private ObjectNode task() {
        return MAPPER.valueToTree(Kind.NEWEST.task(random));
    }

    private String newId() {
        Kind kind = random.nextInt(SHARE_OF_EACH) == 0 ? Kind.EACH : Kind.NEWEST;
        return prefix(kind) + name + "-" + made++;
    }

    /** Returns the URL of a database at one of the nodes that this process uses. */
    private URI url(CouchDatabase source) {
        List<URI> urls = Surroundings.urls();
        return urls.get(random.nextInt(urls.size())).resolve(source.name());
    }

    @Override
    public void close() {
        writers.forEach(SourceWriter::close);
    }
}

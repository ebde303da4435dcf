package io.couchjobs.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.chaos.Entry.What;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.JobId;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Saves documents in several databases. Two triggers make jobs from them: one from the documents' fields, the other from their
 * outboxes. A document's job counts as added when the document was saved. So the proof that no job is lost is also a proof that
 * no change is lost. Not thread-safe.
 */
final class Saver {
    static final String TRIGGER = "chaos";
    static final String OUTBOX_TRIGGER = "chaos-outbox";
    private static final String PLAIN = "plain-";
    private static final String OUTBOX = "outbox-";
    private static final int BULK = 100;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final JobQueue queue;
    private final Journal journal;
    private final Random random;
    private final String name;
    private final int sources;
    private boolean isFollowed;
    private int made;

    Saver(JobQueue queue, Journal journal, Random random, String name, int sources) {
        this.queue = queue;
        this.journal = journal;
        this.random = random;
        this.name = name;
        this.sources = sources;
    }

    /** Returns the prefix of the names of source databases. */
    static String prefix(JobQueue queue) {
        return queue.database().name() + "-source-";
    }

    void save() {
        try {
            follow();
            CouchDatabase source = queue.database().server().database(prefix(queue) + random.nextInt(sources));
            boolean unused = source.createIfMissing();
            save(source);
        } catch (CouchJobsException trouble) {
            System.err.println("cannot save documents: " + trouble.getMessage());
        }
    }

    private void follow() {
        if (isFollowed) {
            return;
        }
        ObjectNode task = MAPPER.createObjectNode();
        Stream.of("millis", "failures", "stubborn").forEach(field -> task.put(field, "{/" + field + "}"));
        put(trigger(TRIGGER, PLAIN).type(Kind.SHORT.type()).id("{_id}").data(task));
        put(trigger(OUTBOX_TRIGGER, OUTBOX).outbox(Outbox.Entries.MARK));
        isFollowed = true;
    }

    private TriggerBuilder trigger(String called, String documents) {
        return Trigger.named(called)
                .source(prefix(queue) + "*")
                .from("beginning")
                .prefixes(documents);
    }

    private void put(TriggerBuilder trigger) {
        var unused = queue.triggers().put(trigger.build());
    }

    private void save(CouchDatabase source) {
        List<ObjectNode> documents = IntStream.range(0, 1 + random.nextInt(BULK))
                .mapToObj(any -> document())
                .toList();
        documents.forEach(
                document -> journal.note(What.ADDING, job(document.path("_id").asText()), "SHORT 0 "));
        List<String> saved = new ArrayList<>();
        try {
            for (WriteResult written : source.bulkDocs(documents)) {
                if (written instanceof WriteResult.Stored) {
                    saved.add(written.id());
                }
            }
        } finally {
            saved.forEach(id -> journal.note(What.ADDED, job(id), ""));
        }
    }

    /** Returns a new document, which has a job in its fields or in its outbox. */
    private ObjectNode document() {
        ObjectNode task = MAPPER.valueToTree(Kind.SHORT.task(random));
        String rest = name + "-" + made++;
        if (random.nextBoolean()) {
            return task.put("_id", PLAIN + rest);
        }
        ObjectNode document = MAPPER.createObjectNode().put("_id", OUTBOX + rest);
        document.putArray(Outbox.FIELD)
                .addObject()
                .put("type", Kind.SHORT.type())
                .put("id", OUTBOX + rest)
                .set("data", task);
        return document;
    }

    private static String job(String document) {
        return new JobId(Kind.SHORT.type(), document).docId();
    }
}

package io.couchjobs.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The speed of triggers, beside that of the plainest program that does the same. Not part of the build. */
@ServerTest
@EnabledIfSystemProperty(named = "couchjobs.trigger.changes", matches = "\\d+")
class TriggerMeasurementTest {
    private static final int CHANGES = Integer.getInteger("couchjobs.trigger.changes", 0);
    private static final int ROUNDS = 5;
    private static final int BULK = 1000;
    private static final int SINGLES = 200;
    private static final Duration GLANCE = Duration.ofMillis(100);

    private JobQueue queue;
    private SourceDatabases sources;
    private CouchDatabase source;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        sources = new SourceDatabases(database, queue);
        source = sources.create("source");
    }

    @AfterEach
    void close() {
        sources.close();
        queue.close();
    }

    /** Beside a small document in a database without views, and beside the document of a job in a database with those of a queue. */
    @Test
    void changes_taken_per_second_beside_a_reader_that_writes_a_document_per_change() throws Exception {
        fill();
        List<Double> small = new ArrayList<>();
        List<Double> same = new ArrayList<>();
        for (int round = 0; round <= ROUNDS; round++) {
            double plain = perSecond(raw(sources.create("raw" + round), JsonNodeFactory.instance::objectNode));
            double ours = perSecond(taken("t" + round));
            buildIndexes(queue.database());
            CouchDatabase target = likeTheQueue("same" + round);
            double jobs = perSecond(raw(target, aJob("mail-t" + round)::deepCopy));
            buildIndexes(target);
            System.out.printf(
                    "plain documents %.0f/s, trigger %.0f/s (ratio %.2f), jobs with their views %.0f/s (ratio %.2f)%s%n",
                    plain, ours, ours / plain, jobs, ours / jobs, round == 0 ? " (warm up)" : "");
            if (round > 0) {
                small.add(ours / plain);
                same.add(ours / jobs);
            }
        }
        System.out.printf("medians of %d: %.2f and %.2f%n", ROUNDS, median(small), median(same));
    }

    private static double median(List<Double> ratios) {
        return ratios.stream().sorted().toList().get(ROUNDS / 2);
    }

    /** A database with the views of a queue. */
    private CouchDatabase likeTheQueue(String name) {
        CouchDatabase database = sources.create(name);
        designDocuments()
                .forEach(design -> SourceDatabases.save(
                        database, design.without(List.of("_rev")).toString()));
        return database;
    }

    private List<ObjectNode> designDocuments() {
        return queue
                .database()
                .view(ViewQuery.allDocs()
                        .startKey("_design/")
                        .endKey("_design0")
                        .includeDocs(true))
                .rows()
                .stream()
                .map(row -> row.doc().deepCopy())
                .toList();
    }

    private ObjectNode aJob(String type) {
        ObjectNode job = queue.all(type).findFirst().orElseThrow().document().deepCopy();
        return job.without(List.of("_id", "_rev"));
    }

    private static double perSecond(long nanos) {
        return CHANGES * 1e9 / nanos;
    }

    private void fill() {
        for (int from = 0; from < CHANGES; from += BULK) {
            var unused = source.bulkDocs(IntStream.range(from, Math.min(from + BULK, CHANGES))
                    .mapToObj(i -> JsonNodeFactory.instance
                            .objectNode()
                            .put("_id", "order-" + i)
                            .put("text", "x".repeat(200)))
                    .toList());
        }
    }

    private long raw(CouchDatabase target, Supplier<ObjectNode> document) {
        long began = System.nanoTime();
        String since = "0";
        for (int done = 0; done < CHANGES; ) {
            List<ObjectNode> documents = new ArrayList<>();
            try (ChangesFeed feed =
                    source.changes(ChangesRequest.normal().since(since).limit(BULK))) {
                Optional<Change> change = feed.next(Duration.ofMinutes(1));
                while (change.isPresent()) {
                    documents.add(document.get()
                            .put("_id", "job:mail:" + change.get().id())
                            .put("rev", change.get().revs().get(0)));
                    since = change.get().seq();
                    change = feed.isEnded() ? Optional.empty() : feed.next(Duration.ofMinutes(1));
                }
            }
            var unused = target.bulkDocs(documents);
            done += documents.size();
        }
        return System.nanoTime() - began;
    }

    /** From the moment at which there is a process that follows until all jobs are there. */
    private long taken(String name) throws Exception {
        queue.triggers()
                .put(Trigger.named(name)
                        .source(source.name())
                        .from("beginning")
                        .type("mail-" + name)
                        .build());
        long began = System.nanoTime();
        long took;
        try (Worker worker =
                queue.worker().handler("nothing", (data, context) -> null).start()) {
            String position = "follow:" + name + ":" + source.name();
            TestQueue.until(GLANCE, () -> taken(queue.database().get(position)) == CHANGES);
            took = System.nanoTime() - began;
            assertThat(worker.stats().claimed()).isZero();
        }
        queue.triggers().remove(name);
        return took;
    }

    private static int taken(Optional<ObjectNode> position) {
        return position.map(present -> present.path("jobs").asInt()).orElse(0);
    }

    /** The server builds indexes for a while after the last write, and has less time for the next measurement. */
    private void buildIndexes(CouchDatabase database) {
        designDocuments().forEach(design -> {
            String name = design.path("_id").asText().replace("_design/", "");
            String view = design.path("views").fieldNames().next();
            var unused = database.view(ViewQuery.of(name, view).reduce(false).limit(1));
        });
    }

    @Test
    void the_time_from_a_save_to_the_start_of_its_handler_beside_that_of_an_added_job() throws Exception {
        Map<String, Long> begun = new ConcurrentHashMap<>();
        try (Worker worker = queue.worker()
                .handler("mail", (data, context) -> begun.put(data.path("id").asText(), System.nanoTime()))
                .start()) {
            queue.triggers()
                    .put(Trigger.named("t").source(source.name()).type("mail").build());
            double added = median(
                    begun,
                    id -> queue.add(
                            JobRequest.builder("mail").data(Map.of("id", id)).build()));
            double saved = median(
                    begun,
                    id -> source.put(JsonNodeFactory.instance.objectNode().put("_id", id)));
            System.out.printf(
                    "added job %.1f ms, saved document %.1f ms, ratio %.2f (medians of %d)%n",
                    added, saved, saved / added, SINGLES);
            assertThat(worker.stats().failed()).isZero();
        }
    }

    private static double median(Map<String, Long> begun, Consumer<String> act) throws Exception {
        long[] times = new long[SINGLES];
        for (int i = -20; i < SINGLES; i++) {
            String id = "d" + System.nanoTime();
            long before = System.nanoTime();
            act.accept(id);
            TestQueue.until(() -> begun.containsKey(id));
            if (i >= 0) {
                times[i] = begun.get(id) - before;
            }
        }
        Arrays.sort(times);
        return times[SINGLES / 2] / 1e6;
    }
}

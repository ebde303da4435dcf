package io.couchjobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code -Dcouchjobs.cluster.pairs} pairs (200) of changes of one document at two nodes of a real cluster at the same moment: what
 * was told done stands. {@link RealCluster} says how to name the cluster; skipped where there is none.
 */
@Tag("cluster")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class SharedDocumentsRaceTest {
    private static final int PAIRS = Integer.getInteger("couchjobs.cluster.pairs", 200);
    private static final Duration SETTLING = Duration.ofSeconds(20);

    private final String database = "shared-check-" + UUID.randomUUID();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<JobQueue> queues = new ArrayList<>();
    private final Map<String, Integer> troubles = new TreeMap<>();

    @BeforeEach
    void open() {
        assumeThat(RealCluster.isThere()).as("there is a cluster").isTrue();
        for (int node = 1; node <= 3; node++) {
            queues.add(RealCluster.at(node, database));
        }
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        if (!queues.isEmpty()) {
            queues.get(0).database().delete();
        }
        queues.forEach(JobQueue::close);
    }

    @Test
    void both_changes_of_the_settings_of_a_type_stand() throws Exception {
        race("settings", n -> {
            boolean[] done = both(
                    () -> queues.get(0).types().change("t" + n, settings -> settings.with(Limit.RUNNING, 7)),
                    () -> queues.get(1).types().change("t" + n, settings -> settings.withPaused(true)));
            return () -> {
                TypeSettings stored = TypeSettingsOf.read(queues.get(2), "t" + n);
                return (!done[0] || stored.get(Limit.RUNNING).orElse(0) == 7) && (!done[1] || stored.isPaused());
            };
        });
    }

    @Test
    void a_scope_that_was_stopped_is_not_started_by_counting() throws Exception {
        race("scopes", n -> {
            String docId = "scope:t" + n + ":p";
            var documents = new SharedDocuments(queues.get(0).database());
            var others = new SharedDocuments(queues.get(1).database());
            documents.change(docId, document -> document.put("running", true).put("starts", 1));
            boolean[] done = both(
                    () -> documents.change(docId, document -> document.put("running", false)),
                    () -> others.change(docId, document -> document.put("rejected", 1)));
            return () -> {
                JsonNode stored = queues.get(2).database().get(docId).orElseThrow();
                return (!done[0] || !stored.path("running").asBoolean())
                        && (!done[1] || stored.path("rejected").asInt() == 1);
            };
        });
    }

    @Test
    void a_schedule_that_was_disabled_stays_so_though_its_job_is_replaced() throws Exception {
        race("schedules", n -> {
            queues.get(0).schedules().put(schedule(n, 1));
            boolean[] done = both(
                    () -> queues.get(0).schedules().disable("s" + n),
                    () -> queues.get(1).schedules().put(schedule(n, 2)));
            return () -> {
                Schedule stored = queues.get(2).schedules().get("s" + n).orElseThrow();
                return (!done[0] || !stored.isEnabled())
                        && (!done[1]
                                || queues.get(2)
                                        .database()
                                        .get("schedule:s" + n)
                                        .orElseThrow()
                                        .toString()
                                        .contains("\"n\":2"));
            };
        });
    }

    private static ScheduleRequest schedule(int n, int data) {
        return Schedule.named("s" + n)
                .every(Duration.ofDays(1))
                .job(JobRequest.builder("email").data(Map.of("n", data)).build())
                .build();
    }

    @Test
    void a_window_of_a_rate_grants_no_more_than_it_has() throws Exception {
        race("rates", n -> {
            String type = "r" + n;
            queues.get(0).types().change(type, settings -> settings.withRate(new Rate(4, Duration.ofHours(1))));
            for (int i = 0; i < 8; i++) {
                queues.get(0)
                        .add(JobRequest.builder(type).id("" + i).data(Map.of()).build());
            }
            int[] started = new int[2];
            AcceptOptions options = AcceptOptions.of(type).max(3).timeout(Duration.ofMillis(300));
            for (int round = 0; round < 2; round++) {
                both(
                        () -> started[0] += queues.get(0).accept(options).size(),
                        () -> started[1] += queues.get(1).accept(options).size());
            }
            return () -> started[0] + started[1] <= 4;
        });
    }

    @Test
    void a_document_that_a_later_owner_wrote_is_not_overwritten_by_a_former_owner() throws Exception {
        race("fences", n -> {
            String id = "f" + n;
            queues.get(0).add(JobRequest.builder("email").id(id).data(Map.of()).build());
            ClaimedJob former = claim(queues.get(0));
            queues.get(0).operations().release("email", id);
            ClaimedJob present = claim(queues.get(1));
            FencedDocuments late = former.fenced(queues.get(0).database());
            FencedDocuments now = present.fenced(queues.get(1).database());
            late.change("doc" + n, document -> document.put("by", "nobody"));
            boolean[] done = both(
                    () -> late.change("doc" + n, document -> document.put("by", "former")),
                    () -> now.change("doc" + n, document -> document.put("by", "present")));
            present.finish();
            return () -> !done[1]
                    || queues.get(2)
                            .database()
                            .get("doc" + n)
                            .orElseThrow()
                            .path("by")
                            .asText()
                            .equals("present");
        });
    }

    private static ClaimedJob claim(JobQueue queue) throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(30)))
                .get(0);
    }

    /** Begins a pair, and says how to see later whether what was told stands. */
    private interface Pair {
        Callable<Boolean> begin(int n) throws Exception;
    }

    private void race(String kind, Pair pair) throws Exception {
        List<Callable<Boolean>> checks = new ArrayList<>();
        for (int n = 0; n < PAIRS; n++) {
            checks.add(pair.begin(n));
        }
        List<Integer> wrong = new ArrayList<>();
        long until = System.nanoTime() + SETTLING.toNanos();
        do {
            wrong.clear();
            for (int n = 0; n < PAIRS; n++) {
                if (!checks.get(n).call()) {
                    wrong.add(n);
                }
            }
        } while (!wrong.isEmpty() && System.nanoTime() < until);
        System.out.println(kind + ": " + PAIRS + " pairs, " + wrong.size() + " wrong " + wrong + ", not told done: "
                + troubles + ", with conflicts: "
                + RealCluster.conflicts(queues.get(0).database()).size());
        assertThat(wrong)
                .as(kind + " of which something told done does not stand")
                .isEmpty();
    }

    /** {@return of which of the two it was told that it is done} */
    private boolean[] both(Callable<?> one, Callable<?> other) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        List<Future<Boolean>> told = new ArrayList<>();
        for (Callable<?> change : List.of(one, other)) {
            told.add(threads.submit(() -> {
                start.await();
                return isDone(change);
            }));
        }
        return new boolean[] {told.get(0).get(), told.get(1).get()};
    }

    private boolean isDone(Callable<?> change) throws Exception {
        try {
            change.call();
            return true;
        } catch (CouchJobsException trouble) {
            synchronized (troubles) {
                troubles.merge(trouble.getClass().getSimpleName(), 1, Integer::sum);
            }
            return false;
        }
    }

    /** The settings as the database has them now. */
    private static final class TypeSettingsOf {
        static TypeSettings read(JobQueue queue, String type) {
            return new SettingsStore(queue.database(), Duration.ofMinutes(1)).read(type);
        }
    }
}

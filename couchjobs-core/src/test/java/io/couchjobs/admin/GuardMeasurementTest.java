package io.couchjobs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What the guard costs: the same bulk writes without and with it, in turns, medians. Not part of the build. */
@ServerTest
@EnabledIfSystemProperty(named = "couchjobs.guard.jobs", matches = "\\d+")
class GuardMeasurementTest {
    private static final int JOBS = Integer.getInteger("couchjobs.guard.jobs", 0);
    private static final int ROUNDS = 5;
    private static final int BATCH = 500;

    private final Map<String, List<Double>> millis = new LinkedHashMap<>();

    @Test
    void bulk_writes_without_and_with_the_guard(TestDatabase database) {
        try (SecuredQueue secured = new SecuredQueue(database)) {
            JobQueue queue = secured.as(QueueSecurity.Role.PRODUCER, QueueSecurity.Role.WORKER);
            for (int round = 0; round < 2 * ROUNDS + 2; round++) {
                boolean guarded = round % 2 == 1;
                if (guarded) {
                    secured.root().operations().security().secure();
                } else {
                    secured.root().operations().security().removeGuard();
                }
                lives(queue, round < 2 ? "warm up, " : "", guarded ? " with" : " without");
            }
        }
        millis.forEach((what, all) -> System.out.printf(
                "%-24s %8.0f documents/s%n",
                what, 1_000.0 * JOBS / all.stream().sorted().toList().get(all.size() / 2)));
    }

    private void lives(JobQueue queue, String before, String after) {
        Instant now = Instant.now();
        List<Job> jobs = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            Map<String, String> data = Map.of("text", "x".repeat(1_000));
            jobs.add(Transitions.create(JobRequest.of("email", data), now));
        }
        jobs = timed(before + "insert" + after, queue, jobs, job -> job);
        jobs = timed(before + "claim" + after, queue, jobs, job -> Transitions.claim(
                        job, UUID.randomUUID().toString(), "w", true, now)
                .write()
                .orElseThrow());
        timed(before + "finish" + after, queue, jobs, job -> Transitions.finish(job, null, null, now)
                .write()
                .orElseThrow());
    }

    private List<Job> timed(String what, JobQueue queue, List<Job> jobs, UnaryOperator<Job> step) {
        List<Job> next = jobs.stream().map(step).toList();
        List<Job> stored = new ArrayList<>();
        long began = System.nanoTime();
        for (int from = 0; from < next.size(); from += BATCH) {
            List<Job> batch = next.subList(from, Math.min(from + BATCH, next.size()));
            List<ObjectNode> documents = batch.stream().map(Job::toDocument).toList();
            List<WriteResult> written = queue.database().bulkDocs(documents);
            for (int i = 0; i < batch.size(); i++) {
                assertThat(written.get(i)).isInstanceOf(WriteResult.Stored.class);
                stored.add(batch.get(i).withRev(((WriteResult.Stored) written.get(i)).rev()));
            }
        }
        millis.computeIfAbsent(what, name -> new ArrayList<>()).add((System.nanoTime() - began) / 1e6);
        return stored;
    }
}

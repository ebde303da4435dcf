package io.couchjobs.sites;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two databases that replicate to each other, and what the tests on them share. */
abstract class TwoDatabases {
    TestDatabase munich;
    TestDatabase oslo;
    final List<JobQueue> open = new ArrayList<>();

    @BeforeEach
    void twoDatabases(TestDatabase database) {
        munich = database;
        oslo = new TestDatabase(database.server(), database.name() + "-oslo");
    }

    @AfterEach
    void close() {
        open.forEach(JobQueue::close);
        try (JobQueue last = TestQueue.open(oslo)) {
            last.database().delete();
        }
    }

    /** Names a database, and opens it. */
    final JobQueue named(TestDatabase database, String name) {
        try (JobQueue first = TestQueue.open(database)) {
            first.operations().nameSite(Site.named(name));
        }
        JobQueue queue = TestQueue.open(database);
        open.add(queue);
        return queue;
    }

    final void replicate() {
        new Replication(munich, munich.name(), oslo.name()).run();
        new Replication(munich, oslo.name(), munich.name()).run();
    }

    static JobRequest.Builder email(String id) {
        return JobRequest.builder("email").id(id).data(Map.of());
    }

    /** A worker on emails that notes what it ran, and where. */
    static Worker worker(JobQueue queue, ConcurrentLinkedQueue<String> runs) {
        String site = String.valueOf(queue.operations().site().name());
        return queue.worker()
                .id("w1")
                .handler("email", (job, context) -> {
                    runs.add(context.id().id() + " at " + site);
                    return site;
                })
                .start();
    }

    static List<String> accepted(JobQueue queue) throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").max(10).timeout(Duration.ZERO)).stream()
                .map(claim -> claim.id().id())
                .toList();
    }

    static long finished(JobQueue queue) {
        return queue.all("email")
                .filter(job -> job.status() == JobStatus.SUCCESS)
                .count();
    }
}

package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.testing.HeardWarnings;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is part of the usual course of things is no warning. Alone, because it hears what all tests log. */
@ServerTest
@Isolated
class HarmlessEventsTest {
    private static final Set<String> ASKING = Set.of("couchjobs-monitor-scan", "couchjobs-dependencies");

    @Test
    void a_worker_that_starts_again_under_its_id_takes_its_jobs_back_without_a_warning(TestDatabase database)
            throws Exception {
        try (HeardWarnings heard = new HeardWarnings();
                JobQueue queue = TestQueue.open(database)) {
            queue.database()
                    .put(Jobs.json("{'_id':'job:email:1','status':'running','data':{},'attempt':1,'fence':1,"
                            + "'lock':{'token':'old','worker':'mailer','since':1}}"));
            try (Worker again = queue.worker()
                    .id("mailer")
                    .handler("email", (data, context) -> "sent")
                    .start()) {
                assertThat(TestQueue.finished(queue, "email", "1").status()).isEqualTo(JobStatus.SUCCESS);
                TestQueue.until(() -> again.stats().recovered() == 1);
            }
            assertThat(heard.all()).isEmpty();
        }
    }

    /** The first question for owned jobs is asked by the worker that starts, the second one by the monitor. */
    @ParameterizedTest
    @CsvSource({"owned, 2", "held, 1"})
    void a_queue_that_is_closed_while_its_worker_asks_warns_of_nothing(String view, int time, TestDatabase database)
            throws Exception {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        try (Proxy proxy = Proxy.before(database.server());
                HeardWarnings heard = new HeardWarnings()) {
            proxy.detour(new Proxy.Detour() {
                @Override
                public boolean goes(Proxy.Request request) {
                    if (request.toString().endsWith("/_view/" + view) && asked.incrementAndGet() == time) {
                        held.countDown();
                        awaitQuietly(answered);
                    }
                    return true;
                }
            });
            try (JobQueue queue = TestQueue.open(proxy.door(database))) {
                queue.worker().handler("email", (data, context) -> "sent").start();
                assertThat(held.await(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            }
            TestQueue.until(() -> threads().noneMatch(ASKING::contains));
            assertThat(heard.all()).isEmpty();
        } finally {
            answered.countDown();
        }
    }

    private static Stream<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_tick_whose_job_another_worker_makes_at_the_same_moment_is_no_warning(TestDatabase database)
            throws Exception {
        PretendedCluster cluster = new PretendedCluster();
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue plain = TestQueue.open(database)) {
            proxy.detour(cluster);
            cluster.acceptStored(1, doc -> doc.path("_id").asText().startsWith("job:email:"));
            try (JobQueue queue = TestQueue.open(proxy.door(database));
                    HeardWarnings heard = new HeardWarnings();
                    Worker worker = queue.worker()
                            .handler("email", (data, context) -> "sent")
                            .start()) {
                plain.schedules()
                        .put(Schedule.named("s")
                                .every(Duration.ofSeconds(1))
                                .job(JobRequest.of("email", Map.of()))
                                .build());
                TestQueue.until(() -> worker.stats().succeeded() >= 1);
                assertThat(heard.all()).isEmpty();
            }
        }
    }
}

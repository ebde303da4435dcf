package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What many jobs leave behind after a collection, on a server that purges and compacts. Only when asked for: the numbers of
 * the operations guide are of {@code -Dcouchjobs.gc.jobs=50000}.
 */
@ServerTest
@EnabledIfSystemProperty(named = "couchjobs.gc.jobs", matches = "\\d+", disabledReason = "takes minutes")
@Timeout(1800)
class GarbageMeasurementTest {
    private static final int JOBS = Integer.getInteger("couchjobs.gc.jobs", 3000);
    private static final long MOST_BYTES = 5_000_000;

    @Test
    void a_database_is_small_and_quick_again_after_its_jobs_were_run_and_collected(TestDatabase where)
            throws Exception {
        assumeTrue(where.serverName().startsWith("The Apache Software Foundation"), "only CouchDB compacts its files");
        TestDatabase other = new TestDatabase(where.server(), where.name() + "-fresh");
        try (JobQueue queue = TestQueue.open(where);
                JobQueue fresh = TestQueue.open(other)) {
            queue.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
            Instant later = Instant.now().plus(Duration.ofDays(1));
            addLater(queue, later);
            addLater(fresh, later);
            run(queue);
            queue.types().counts();
            double[] full = pendingMillis(later, queue, fresh);

            GarbageCollection.Report report = queue.operations().gc().run();

            double[] after = pendingMillis(later, queue, fresh);
            fresh.database().delete();
            System.out.printf(
                    "%d jobs: %.1f MB before, %.1f MB after; %d deleted, %d purged, %d kept; %.1f s;"
                            + " due jobs asked in %.1f ms before and %.1f ms after the collection, of a new database,"
                            + " in turns with it, in %.1f ms and %.1f ms%n",
                    JOBS,
                    report.bytesBefore() / 1e6,
                    report.bytesAfter() / 1e6,
                    report.jobsDeletedInAll(),
                    report.tombstonesPurged(),
                    report.tombstonesKept(),
                    report.took().toMillis() / 1e3,
                    full[0],
                    after[0],
                    full[1],
                    after[1]);
            assertThat(report.problems()).isEmpty();
            // In a long run the worker itself has swept already.
            assertThat(report.jobsDeletedInAll()).isPositive().isLessThanOrEqualTo(JOBS);
            assertThat(report.tombstonesPurged()).isGreaterThanOrEqualTo(JOBS);
            assertThat(queue.all("email")).isEmpty();
            assertThat(report.tombstonesKept()).isZero();
            assertThat(report.bytesAfter()).isLessThan(Math.min(MOST_BYTES, report.bytesBefore()));
            assertThat(after[0]).isLessThan(2 * after[1] + 5);
        }
    }

    private static void run(JobQueue queue) throws InterruptedException {
        for (int from = 0; from < JOBS; from += 500) {
            queue.addAll(IntStream.range(from, Math.min(from + 500, JOBS))
                    .mapToObj(i -> JobRequest.of("email", Map.of("to", "ada@example.org", "n", i)))
                    .toList());
        }
        try (Worker worker = queue.worker()
                .concurrency(32)
                .handler("email", (data, context) -> Map.of("sent", true))
                .untilEmpty()
                .start()) {
            worker.awaitStopped();
        }
    }

    private static void addLater(JobQueue queue, Instant later) {
        queue.addAll(IntStream.range(0, 100)
                .mapToObj(i -> JobRequest.builder("later")
                        .data(Map.of())
                        .scheduledTime(later)
                        .build())
                .toList());
    }

    /** The median of many, of each queue; asked in turns, so that what else the machine does slows both alike. */
    private static double[] pendingMillis(Instant until, JobQueue... queues) {
        double[][] millis = new double[queues.length][101];
        for (int i = 0; i < 101; i++) {
            for (int q = 0; q < queues.length; q++) {
                long begun = System.nanoTime();
                assertThat(queues[q].types().pendingCount("later", until, 1000)).isEqualTo(100);
                millis[q][i] = (System.nanoTime() - begun) / 1e6;
            }
        }
        return Arrays.stream(millis)
                .mapToDouble(
                        all -> Arrays.stream(all).sorted().skip(50).findFirst().orElseThrow())
                .toArray();
    }
}

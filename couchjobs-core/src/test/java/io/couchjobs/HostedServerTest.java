package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A worker at a server that accepts a number of requests per second and refuses the others by 429; other numbers by {@code
 * -Dcouchjobs.hosted.rate=3 -Dcouchjobs.hosted.jobs=300}.
 */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
@SuppressWarnings("try")
class HostedServerTest {
    private static final int PER_SECOND = Integer.getInteger("couchjobs.hosted.rate", 6);
    private static final int JOBS = Integer.getInteger("couchjobs.hosted.jobs", 40);

    @Test
    void a_worker_starts_and_runs_all_jobs_with_few_requests_refused(TestDatabase database) throws Exception {
        try (JobQueue direct = TestQueue.open(database)) {
            direct.addAll(IntStream.range(0, JOBS)
                    .mapToObj(i -> JobRequest.builder("email")
                            .id("job-" + i)
                            .data(Map.of())
                            .build())
                    .toList());
        }
        Account account = new Account();
        CountDownLatch left = new CountDownLatch(JOBS);
        long began = System.nanoTime();
        try (Proxy proxy = Proxy.before(database.server())) {
            proxy.detour(account);
            try (JobQueue queue = TestQueue.open(proxy.door(database));
                    Worker worker = queue.worker()
                            .concurrency(4)
                            .handler("email", (data, context) -> null)
                            .onRunEnded(run -> left.countDown())
                            .start()) {
                assertThat(left.await(5, TimeUnit.MINUTES))
                        .as("%d of %d jobs are left; %s", left.getCount(), JOBS, account)
                        .isTrue();
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        System.out.printf("%d jobs at %d requests per second: %s, %s%n", JOBS, PER_SECOND, took, account);
        assertThat(account.refused).as(account.toString()).isBetween(1, account.accepted / 2);
    }

    /** Lets through as many requests as a second has, and one second's more at the beginning, but never the very first. */
    private static final class Account implements Proxy.Detour {
        private double credit = PER_SECOND;
        private long nanos = System.nanoTime();
        private int accepted;
        private int refused;

        @Override
        public synchronized boolean refuses(Proxy.Request request) {
            long now = System.nanoTime();
            credit = Math.min(PER_SECOND, credit + (now - nanos) * PER_SECOND / 1e9);
            nanos = now;
            if (credit < 1 || refused == 0) {
                refused++;
                return true;
            }
            credit--;
            accepted++;
            return false;
        }

        @Override
        public synchronized String toString() {
            return accepted + " requests were accepted and " + refused + " refused";
        }
    }
}

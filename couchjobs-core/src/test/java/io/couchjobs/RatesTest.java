package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobType;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Rate;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How many jobs of a type start per window of time. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class RatesTest extends LimitedQueue {
    record Page(int number) {}

    private static final JobType<Page> PAGE = JobType.of("page", Page.class);

    @Test
    void no_window_sees_more_starts_than_the_rate_however_many_workers_there_are() throws Exception {
        Rate rate = new Rate(5, Duration.ofSeconds(1));
        queue.types().change("email", settings -> settings.withRate(rate));
        int jobs = 13;
        for (int i = 0; i < jobs; i++) {
            add("email", "j" + i, "");
        }
        try (JobQueue other = TestQueue.open(database);
                Worker one = queue.worker()
                        .concurrency(4)
                        .handler("email", (data, context) -> null)
                        .start();
                Worker two = other.worker()
                        .concurrency(4)
                        .handler("email", (data, context) -> null)
                        .start()) {
            for (int i = 0; i < jobs; i++) {
                TestQueue.finished(queue, "email", "j" + i);
            }
            assertThat(one.id()).isNotEqualTo(two.id());
        }
        Map<Long, Integer> starts = new HashMap<>();
        for (Job job : queue.list(JobFilter.all().type("email"), 100)) {
            starts.merge(job.times().get("started").getEpochSecond(), 1, Integer::sum);
        }
        assertThat(starts.values()).allMatch(number -> number <= 5).satisfies(all -> assertThat(
                        all.stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(jobs));
    }

    @Test
    void a_used_up_rate_costs_no_requests_and_is_lifted_at_once() throws Exception {
        queue.types().change("email", settings -> settings.withRate(new Rate(2, Duration.ofDays(1))));
        for (int i = 0; i < 4; i++) {
            add("email", "j" + i, "");
        }
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue counted = TestQueue.standing(proxy.door(database))) {
            assertThat(counted.accept(AcceptOptions.of("email").max(9).timeout(Duration.ZERO)))
                    .hasSize(2);
            assertThat(counted.accept(AcceptOptions.of("email").max(9).timeout(Duration.ZERO)))
                    .isEmpty();
            CountedRequests requests = new CountedRequests();
            proxy.detour(requests);
            assertThat(counted.accept(AcceptOptions.of("email").timeout(Duration.ofMillis(300))))
                    .isEmpty();
            assertThat(requests.all()).allMatch(CountedRequests::isOfTheMonitor);
            queue.types().change("email", settings -> settings.withRate(new Rate(3, Duration.ofDays(1))));
            assertThat(counted.accept(AcceptOptions.of("email").max(9).timeout(TestQueue.PATIENCE)))
                    .hasSize(1);
            queue.types().change("email", settings -> settings.withoutRate());
            assertThat(counted.accept(AcceptOptions.of("email").max(9).timeout(TestQueue.PATIENCE)))
                    .hasSize(1);
        }
    }

    @Test
    void a_worker_that_is_to_stop_when_nothing_is_due_waits_for_a_rate_that_is_used_up() throws Exception {
        queue.types().change("email", settings -> settings.withRate(new Rate(2, Duration.ofSeconds(1))));
        for (int i = 0; i < 5; i++) {
            add("email", "j" + i, "");
        }
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .untilEmpty()
                .start()) {
            worker.awaitStopped();
            assertThat(worker.stats().succeeded()).isEqualTo(5);
        }
    }

    @Test
    @Timeout(30)
    void a_worker_with_many_places_uses_each_window_of_a_rate() throws Exception {
        queue.types().change("email", settings -> settings.withRate(new Rate(10, Duration.ofSeconds(1))));
        int jobs = 60;
        queue.addAll(IntStream.range(0, jobs)
                .mapToObj(i -> request("email", "j" + i, ""))
                .toList());
        try (Worker worker = queue.worker()
                .concurrency(64)
                .handler("email", (data, context) -> null)
                .start()) {
            TestQueue.until(() -> worker.stats().succeeded() == jobs);
        }
    }

    @Test
    void a_rate_that_cannot_be_written_costs_an_array_no_attempt() throws Exception {
        queue.types().change("page", settings -> settings.withRate(new Rate(1, Duration.ofSeconds(1))));
        queue.addArray(PAGE, "crawl", List.of(new Page(1), new Page(2)));
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue faulty = TestQueue.open(proxy.door(database));
                Worker worker =
                        faulty.worker().handler(PAGE, (page, context) -> null).start()) {
            proxy.detour(new SecondRateRefused());
            assertThat(TestQueue.finished(queue, "page", "crawl:000001").errors())
                    .as("of worker " + worker.id())
                    .isEmpty();
        }
    }

    /** Answers the second write of a rate as one that the database's rules refuse. */
    private static final class SecondRateRefused implements Proxy.Detour {
        private final AtomicInteger writes = new AtomicInteger();

        @Override
        public String rewrites(Proxy.Request request, String answer) {
            return request.isBulkWrite() && request.body().contains("\"rate:page\"") && writes.incrementAndGet() == 2
                    ? answer.replaceAll(
                            "\\{[^{}]*\"rate:page\"[^{}]*}",
                            "{\"id\":\"rate:page\",\"error\":\"forbidden\",\"reason\":\"no\"}")
                    : answer;
        }
    }
}

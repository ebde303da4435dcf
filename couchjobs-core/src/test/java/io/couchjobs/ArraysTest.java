package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Rate;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.SnoozeException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class ArraysTest {
    record Page(int number) {}

    private static final JobType<Page> PAGE = JobType.of("page", Page.class);
    private static final JobId CRAWL = new JobId("page", "crawl");

    private JobQueue queue;
    private final Map<Integer, AtomicInteger> runs = new ConcurrentHashMap<>();

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        queue.close(); // and its workers
    }

    private static List<Page> pages(int count) {
        return IntStream.range(0, count).mapToObj(Page::new).toList();
    }

    private Worker work(JobHandler<Page> handler) {
        return queue.worker()
                .handler(PAGE, (page, context) -> {
                    runs.computeIfAbsent(page.number(), first -> new AtomicInteger())
                            .incrementAndGet();
                    return handler.handle(page, context);
                })
                .start();
    }

    private JobArrays.State state() {
        return queue.arrays().get(CRAWL).orElseThrow();
    }

    private JobArrays.Item item(int index) {
        return queue.arrays().items(CRAWL).toList().get(index);
    }

    @Test
    void each_item_is_run_once_by_the_handler_of_its_type_and_has_its_result() throws Exception {
        assertThat(queue.addArray(PAGE, "crawl", pages(1_203))).isEqualTo(1_203);
        work((page, context) -> {
            assertThat(context.item()).hasValue(page.number());
            return page.number() % 100 == 0 ? Map.of("links", page.number()) : null;
        });
        TestQueue.until(() -> state().isFinished());

        assertThat(state()).isEqualTo(new JobArrays.State(3, 1_203, 1_203, 0, 0, true));
        assertThat(runs).hasSize(1_203).allSatisfy((page, count) -> assertThat(count)
                .hasValue(1));
        assertThat(item(700).result()).hasToString("{\"links\":700}");
        assertThat(item(701)).isEqualTo(new JobArrays.Item(701, JobStatus.SUCCESS, null, null));
    }

    @Test
    void failed_items_alone_are_retried_and_what_fails_for_good_does_not_stop_the_others() throws Exception {
        queue.arrays().add(PAGE.withMaxRetries(3), "crawl", pages(40));
        work((page, context) -> {
            if (page.number() == 7 && context.attempt() < 3) {
                throw new IllegalStateException("try " + context.attempt());
            }
            if (page.number() == 8) {
                throw new PermanentJobException("no such page");
            }
            return null;
        });
        TestQueue.until(() -> state().succeeded() == 38);
        assertThat(item(7))
                .isEqualTo(new JobArrays.Item(7, JobStatus.STUCK, null, "java.lang.IllegalStateException: try 1"));
        JobId chunk = new JobId("page", "crawl:000001");
        TestQueue.until(() -> queue.get(chunk).orElseThrow().status() == JobStatus.STUCK);
        queue.retryNow(chunk);
        TestQueue.until(() -> item(7).error().contains("try 2")
                && queue.get(chunk).orElseThrow().status() == JobStatus.STUCK);
        queue.retryNow(chunk);
        TestQueue.until(() -> state().isFinished());
        Job ended = TestQueue.finished(queue, "page", "crawl:000001");
        assertThat(ended.status()).isEqualTo(JobStatus.FAILED);
        assertThat(ended.errors().get(2).message()).isEqualTo("1 of 40 items failed");

        assertThat(item(8)).isEqualTo(new JobArrays.Item(8, JobStatus.FAILED, null, "no such page"));
        assertThat(runs.get(7)).hasValue(3);
        assertThat(runs.get(8)).hasValue(1);
        assertThat(runs.get(9)).hasValue(1);
    }

    @Test
    void an_item_that_failed_once_and_then_puts_itself_off_fails_its_chunk_no_more() throws Exception {
        JobId chunk = new JobId("page", "crawl:000001");
        queue.arrays().add(PAGE.withMaxRetries(1), "crawl", pages(2));
        work((page, context) -> {
            if (page.number() == 1) {
                return null;
            }
            switch (runs.get(0).get()) {
                case 1 -> throw new IllegalStateException("no answer");
                case 2 -> throw new SnoozeException(Duration.ofHours(1));
                default -> {
                    return null;
                }
            }
        });
        TestQueue.until(() -> queue.get(chunk).orElseThrow().status() == JobStatus.STUCK);
        queue.retryNow(chunk);
        TestQueue.until(() ->
                runs.get(0).get() == 2 && queue.get(chunk).orElseThrow().lock().isEmpty());
        assertThat(queue.get(chunk).orElseThrow().scheduledTime())
                .isAfter(Instant.now().plus(Duration.ofMinutes(50)));
        queue.retryNow(chunk);
        TestQueue.until(() -> state().succeeded() == 2);
    }

    @Test
    void a_chunk_that_has_failed_and_is_run_again_runs_its_failed_items() throws Exception {
        queue.addArray(PAGE, "crawl", pages(5));
        AtomicInteger broken = new AtomicInteger(1);
        work((page, context) -> {
            if (page.number() == 3 && broken.getAndDecrement() > 0) {
                throw new PermanentJobException("out of paper");
            }
            return null;
        });
        assertThat(TestQueue.finished(queue, "page", "crawl:000001").status()).isEqualTo(JobStatus.FAILED);
        queue.retryNow("page", "crawl:000001");
        TestQueue.until(() -> queue.get("page", "crawl:000001").orElseThrow().status() == JobStatus.SUCCESS);

        assertThat(state()).isEqualTo(new JobArrays.State(1, 5, 5, 0, 0, true));
        assertThat(runs.get(3)).hasValue(2);
        assertThat(runs.get(2)).hasValue(1);
    }

    @Test
    void an_item_that_has_failed_for_good_is_not_run_again_when_its_chunk_is_given_back() throws Exception {
        queue.addArray(PAGE, "crawl", pages(2));
        CountDownLatch second = new CountDownLatch(1);
        try (Worker first = work((page, context) -> {
            if (page.number() == 0) {
                throw new PermanentJobException("no such page");
            }
            second.countDown();
            while (context.stopReason().isEmpty()) {
                Thread.onSpinWait();
            }
            return null;
        })) {
            second.await();
            first.close(Duration.ofMillis(1));
        }
        assertThat(queue.get("page", "crawl:000001").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        work((page, context) -> null);
        assertThat(TestQueue.finished(queue, "page", "crawl:000001").status()).isEqualTo(JobStatus.FAILED);

        assertThat(state()).isEqualTo(new JobArrays.State(1, 2, 1, 1, 0, true));
        assertThat(runs).allSatisfy((page, count) -> assertThat(count).hasValue(1));
    }

    @Test
    void a_rate_counts_items() throws Exception {
        Rate rate = new Rate(3, Duration.ofSeconds(1));
        queue.types().change("page", type -> type.withRate(rate));
        queue.addArray(PAGE, "crawl", pages(8));
        Map<Long, AtomicInteger> starts = new ConcurrentHashMap<>();
        work((page, context) -> {
            starts.computeIfAbsent(rate.windowOf(Instant.now()), first -> new AtomicInteger())
                    .incrementAndGet();
            return null;
        });
        TestQueue.until(() -> state().isFinished());

        assertThat(starts.size()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void a_worker_stops_at_once_while_an_item_waits_for_the_rate(TestDatabase database) throws Exception {
        queue.close();
        queue = TestQueue.standing(database);
        queue.types().change("page", type -> type.withRate(new Rate(1, Duration.ofHours(20))));
        queue.addArray(PAGE, "crawl", pages(3));
        CountDownLatch first = new CountDownLatch(1);
        try (Worker worker = work((page, context) -> {
            first.countDown();
            return null;
        })) {
            first.await();
            worker.close(Duration.ZERO);
        }
        assertThat(state()).isEqualTo(new JobArrays.State(1, 3, 1, 0, 0, true));
    }

    @Test
    void an_item_that_has_ended_is_not_run_again_by_the_next_worker() throws Exception {
        queue.addArray(PAGE, "crawl", pages(20));
        CountDownLatch tenth = new CountDownLatch(1);
        Worker first = work((page, context) -> {
            if (page.number() == 10) {
                tenth.countDown();
                new CountDownLatch(1).await();
            }
            return null;
        });
        tenth.await();
        TestQueue.until(() -> state().succeeded() == 10);
        first.close(Duration.ZERO);
        work((page, context) -> null);
        TestQueue.until(() -> state().isFinished());

        assertThat(runs.get(9)).hasValue(1);
        assertThat(runs.get(10)).hasValue(2);
        assertThat(runs.get(11)).hasValue(1);
    }

    @Test
    void a_cancelled_chunk_keeps_the_ends_of_its_items() throws Exception {
        queue.addArray(PAGE, "crawl", pages(20));
        CountDownLatch fourth = new CountDownLatch(1);
        work((page, context) -> {
            if (page.number() == 4) {
                fourth.countDown();
                new CountDownLatch(1).await();
            }
            return null;
        });
        fourth.await();
        queue.cancel("page", "crawl:000001", CancelMode.REQUEST);
        assertThat(TestQueue.finished(queue, "page", "crawl:000001").status()).isEqualTo(JobStatus.CANCELLED);

        assertThat(state()).isEqualTo(new JobArrays.State(1, 20, 4, 0, 0, true));
    }

    @Test
    void an_item_that_takes_too_long_fails_alone() throws Exception {
        JobRequest template = JobRequest.builder("page")
                .id("crawl")
                .data(Map.of())
                .maxRetries(0)
                .build();
        queue.arrays().add(template, pages(4));
        List<JobContext.StopReason> reasons = Collections.synchronizedList(new ArrayList<>());
        queue.worker()
                .handler(PAGE, (page, context) -> {
                    if (page.number() % 2 == 0) {
                        try {
                            new CountDownLatch(1).await();
                        } finally {
                            reasons.add(context.stopReason().orElseThrow());
                        }
                    }
                    return null;
                })
                .timeLimit(Duration.ofMillis(200))
                .start();
        TestQueue.until(() -> state().isFinished());

        assertThat(state()).isEqualTo(new JobArrays.State(1, 4, 2, 2, 0, true));
        assertThat(item(0).error()).isEqualTo("the run was stopped at its time limit");
        assertThat(item(3).status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(reasons).containsExactly(JobContext.StopReason.TOO_SLOW, JobContext.StopReason.TOO_SLOW);
    }

    @Test
    void an_array_of_which_some_chunks_were_deleted_is_shown_without_them() {
        queue.arrays().add(JobRequest.builder("page").id("crawl").data(Map.of()).build(), pages(8), 2);
        queue.remove("page", "crawl:000001");
        queue.remove("page", "crawl:000003");

        assertThat(state()).isEqualTo(new JobArrays.State(2, 4, 0, 0, 0, true));
        assertThat(queue.arrays().items(CRAWL).map(JobArrays.Item::index)).containsExactly(2L, 3L, 6L, 7L);
    }

    @Test
    void a_job_that_waits_for_an_array_runs_when_all_its_items_have_succeeded() throws Exception {
        queue.arrays().add(JobRequest.builder("page").id("crawl").data(Map.of()).build(), pages(6), 2);
        JobRequest report =
                JobRequest.builder("page").id("report").data(new Page(100)).build();
        queue.add(report.after(queue.arrays().jobs(CRAWL)));
        AtomicInteger before = new AtomicInteger();
        work((page, context) -> {
            if (page.number() == 100) {
                before.set((int) state().succeeded());
            }
            return null;
        });
        assertThat(TestQueue.finished(queue, "page", "report").status()).isEqualTo(JobStatus.SUCCESS);

        assertThat(before).hasValue(6);
    }

    @Test
    void an_array_waits_for_a_job() throws Exception {
        JobId login = new JobId("page", "login");
        queue.arrays()
                .add(
                        JobRequest.builder("page")
                                .id("crawl")
                                .data(Map.of())
                                .after(login)
                                .build(),
                        pages(4),
                        2);
        queue.add(JobRequest.builder("page").id("login").data(new Page(100)).build());
        work((page, context) -> {
            assertThat(page.number() == 100 || runs.containsKey(100)).isTrue();
            return null;
        });
        TestQueue.until(() -> state().isFinished());

        assertThat(state().succeeded()).isEqualTo(4);
    }

    @Test
    void an_item_that_does_not_fit_and_one_whose_result_is_too_large_fail_alone() throws Exception {
        JobType<Map<String, Object>> raw = JobType.of("page", new TypeReference<>() {});
        queue.addArray(raw, "crawl", List.of(Map.of("number", 1), Map.of("number", "many"), Map.of("number", 2)));
        work((page, context) -> "x".repeat(page.number() == 2 ? 2_000 : 20));
        TestQueue.until(() -> state().isFinished());

        assertThat(item(0).result()).hasToString("\"" + "x".repeat(20) + "\"");
        assertThat(item(1).error()).contains("data does not fit");
        assertThat(item(2).error()).isEqualTo("the result of an item may have 1024 bytes, not 2002");
    }

    @Test
    void the_results_and_errors_of_a_large_chunk_fit_into_its_document() throws Exception {
        int many = 10_000;
        JobRequest template = JobRequest.builder("page")
                .id("crawl")
                .data(Map.of())
                .maxRetries(0)
                .build();
        queue.arrays().add(template, pages(many), many);
        work((page, context) -> {
            if (page.number() % 2 == 0) {
                throw new IllegalStateException("x".repeat(2_000));
            }
            return "x".repeat(page.number() == 1 ? 900 : 400);
        });
        TestQueue.until(() -> state().isFinished());

        assertThat(state()).isEqualTo(new JobArrays.State(1, many, many / 2 - 1, many / 2 + 1, 0, true));
        assertThat(item(1).error()).isEqualTo("the result of an item may have 419 bytes, not 902");
        assertThat(item(2).error()).hasSizeBetween(100, 200);
    }
}

package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.ChunkHandler;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A handler that takes many items of an array, or many due jobs, by one call. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class ChunkHandlerTest {
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

    private void workMany(int most, ChunkHandler.Work<Page> work) {
        queue.worker()
                .handler(PAGE, ChunkHandler.upTo(most, (pages, context) -> {
                    pages.forEach(page -> runs.computeIfAbsent(page.data().number(), first -> new AtomicInteger())
                            .incrementAndGet());
                    work.run(pages, context);
                }))
                .start();
    }

    private static List<Page> pages(int count) {
        return IntStream.range(0, count).mapToObj(Page::new).toList();
    }

    private JobArrays.State state() {
        return queue.arrays().get(CRAWL).orElseThrow();
    }

    private JobArrays.Item item(int index) {
        return queue.arrays().items(CRAWL).toList().get(index);
    }

    @Test
    void a_handler_of_many_items_gets_as_many_as_it_takes_of_one_chunk() throws Exception {
        queue.addArray(PAGE, "crawl", pages(1_203));
        Set<Integer> sizes = ConcurrentHashMap.newKeySet();
        workMany(100, (pages, context) -> {
            sizes.add(pages.size());
            for (ChunkHandler.Item<Page> page : pages) {
                assertThat(page.index()).isEqualTo(page.data().number());
                if (page.data().number() == 700) {
                    page.succeed(Map.of("links", 7));
                }
            }
        });
        TestQueue.until(() -> state().isFinished());

        assertThat(state().succeeded()).isEqualTo(1_203);
        assertThat(sizes).containsExactlyInAnyOrder(100, 3);
        assertThat(runs).hasSize(1_203).allSatisfy((page, count) -> assertThat(count)
                .hasValue(1));
        assertThat(item(700).result()).hasToString("{\"links\":7}");
        assertThat(item(701)).isEqualTo(new JobArrays.Item(701, JobStatus.SUCCESS, null, null));
    }

    @Test
    void each_of_many_items_in_one_call_has_its_own_end() throws Exception {
        queue.arrays()
                .add(
                        JobRequest.builder("page")
                                .id("crawl")
                                .data(Map.of())
                                .maxRetries(1)
                                .build(),
                        List.of(0, "many", 2, 3, 4).stream()
                                .map(number -> Map.of("number", number))
                                .toList());
        workMany(10, (pages, context) -> {
            for (ChunkHandler.Item<Page> page : pages) {
                switch (page.data().number()) {
                    case 0 -> page.fail(new PermanentJobException("no such page"));
                    case 2 -> page.succeed("x".repeat(2_000));
                    case 3 -> {
                        page.succeed(page.attempt());
                        assertThatThrownBy(() -> page.fail(new IllegalStateException("late")))
                                .hasMessage("the end of item 3 of page:crawl:000001 was told before");
                    }
                    default -> throw new IllegalStateException("try " + page.attempt());
                }
            }
        });
        JobId chunk = new JobId("page", "crawl:000001");
        TestQueue.until(() -> queue.get(chunk).orElseThrow().status() == JobStatus.STUCK);
        assertThat(item(0)).isEqualTo(new JobArrays.Item(0, JobStatus.FAILED, null, "no such page"));
        assertThat(item(1).error()).contains("data does not fit");
        assertThat(item(2).error()).isEqualTo("the result of an item may have 1024 bytes, not 2002");
        assertThat(item(3).result()).hasToString("1");
        assertThat(item(4).error()).contains("try 1");

        queue.types()
                .change(
                        "page",
                        type -> type.withRetryPolicy(new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1))));
        queue.retryNow(chunk);
        TestQueue.until(() -> state().isFinished());
        assertThat(item(4).error()).contains("try 3");
        assertThat(runs.get(4)).hasValue(3);
        assertThat(runs.get(3)).hasValue(1);
    }

    @Test
    void a_handler_of_many_items_runs_a_job_that_is_no_chunk_as_its_only_item() throws Exception {
        workMany(10, (pages, context) -> {
            assertThat(pages).hasSize(1);
            if (pages.get(0).data().number() == 1) {
                pages.get(0).fail(new PermanentJobException("no such page"));
            } else {
                pages.get(0).succeed(Map.of("links", 7));
            }
        });
        queue.add(JobRequest.builder("page").id("a").data(new Page(0)).build());
        queue.add(JobRequest.builder("page").id("b").data(new Page(1)).build());

        assertThat(TestQueue.finished(queue, "page", "a").result()).hasToString("Optional[{\"links\":7}]");
        Job failed = TestQueue.finished(queue, "page", "b");
        assertThat(failed.status()).isEqualTo(JobStatus.FAILED);
        assertThat(failed.errors().get(0).message()).isEqualTo("no such page");
    }

    /** The first job is run alone, and its call does not end before it may. */
    private void workOnJobs(int others, CountDownLatch first, ChunkHandler.Work<Page> work) {
        queue.worker()
                .concurrency(others + 1)
                .handler(PAGE, ChunkHandler.upTo(others, (pages, context) -> {
                    if (pages.size() == 1) {
                        first.await();
                    }
                    work.run(pages, context);
                }))
                .start();
    }

    private void addJobs(int count) {
        queue.addAll(pages(count).stream()
                .map(page -> JobRequest.builder("page")
                        .id("job-" + page.number())
                        .data(page)
                        .maxRetries(0)
                        .build())
                .toList());
    }

    @Test
    void due_jobs_are_gathered_in_one_call_and_each_has_its_own_end() throws Exception {
        addJobs(10);
        CountDownLatch first = new CountDownLatch(1);
        Set<Integer> sizes = ConcurrentHashMap.newKeySet();
        workOnJobs(9, first, (pages, context) -> {
            sizes.add(pages.size());
            assertThat(context.id()).isEqualTo(pages.get(0).id());
            for (ChunkHandler.Item<Page> page : pages) {
                assertThat(page.id().id()).isEqualTo("job-" + page.data().number());
                if (page.data().number() == 3) {
                    page.fail(new PermanentJobException("no such page"));
                } else if (page.data().number() == 4) {
                    page.succeed("four");
                }
            }
            first.countDown(); // by the call of all others
        });
        for (int job = 0; job < 10; job++) {
            Job ended = TestQueue.finished(queue, "page", "job-" + job);
            assertThat(ended.status()).isEqualTo(job == 3 ? JobStatus.FAILED : JobStatus.SUCCESS);
            assertThat(ended.result().isPresent()).isEqualTo(job == 4);
        }
        assertThat(sizes).containsExactlyInAnyOrder(1, 9);
    }

    @Test
    void jobs_of_a_call_are_cancelled_alone_and_the_others_run_with_the_next_call() throws Exception {
        addJobs(4);
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicReference<List<JobId>> members = new AtomicReference<>();
        CountDownLatch gathered = new CountDownLatch(1);
        workOnJobs(3, first, (pages, context) -> {
            if (pages.size() == 3) {
                members.set(pages.stream().map(ChunkHandler.Item::id).toList());
                gathered.countDown();
                never.await();
            }
        });
        gathered.await();
        List<JobId> cancelled = List.of(members.get().get(1), members.get().get(0));
        for (JobId job : cancelled) {
            queue.cancel(job, CancelMode.REQUEST);
            assertThat(TestQueue.finished(queue, "page", job.id()).status()).isEqualTo(JobStatus.CANCELLED);
        }
        first.countDown();
        for (int job = 0; job < 4; job++) {
            Job ended = TestQueue.finished(queue, "page", "job-" + job);
            assertThat(ended.status())
                    .isEqualTo(cancelled.contains(ended.id()) ? JobStatus.CANCELLED : JobStatus.SUCCESS);
            assertThat(ended.attempt()).isEqualTo(1);
        }
    }

    @Test
    void an_exception_of_a_call_ends_all_its_jobs_that_have_no_end() throws Exception {
        addJobs(4);
        CountDownLatch first = new CountDownLatch(1);
        workOnJobs(3, first, (pages, context) -> {
            first.countDown();
            if (pages.size() == 3) {
                pages.get(1).succeed(null);
                throw new IllegalStateException("the API is away");
            }
        });
        long failed = 0;
        for (int job = 0; job < 4; job++) {
            failed += TestQueue.finished(queue, "page", "job-" + job).errors().stream()
                    .filter(error -> error.message().contains("the API is away"))
                    .count();
        }
        assertThat(failed).isEqualTo(2);
    }

    @Test
    void the_items_without_an_end_run_again_after_their_call_was_stopped() throws Exception {
        queue.addArray(PAGE, "crawl", pages(20));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (Worker first = queue.worker()
                .handler(PAGE, ChunkHandler.upTo(20, (pages, context) -> {
                    pages.subList(0, 8).forEach(page -> page.succeed(null));
                    begun.countDown();
                    never.await();
                }))
                .start()) {
            begun.await();
            first.close(Duration.ZERO);
        }
        assertThat(state().succeeded()).isEqualTo(8);
        workMany(20, (pages, context) -> {});
        TestQueue.until(() -> state().isFinished());

        assertThat(runs).hasSize(12).doesNotContainKeys(0, 7);
    }

    @Test
    void a_call_takes_no_more_items_than_the_rate_allows() throws Exception {
        queue.types().change("page", type -> type.withRate(new Rate(3, Duration.ofSeconds(1))));
        queue.addArray(PAGE, "crawl", pages(8));
        Set<Integer> sizes = ConcurrentHashMap.newKeySet();
        workMany(8, (pages, context) -> sizes.add(pages.size()));
        TestQueue.until(() -> state().isFinished());

        // The first item was counted with the claim of the chunk, maybe in the window before.
        assertThat(sizes).allMatch(size -> size <= 3 + 1);
        assertThat(runs).hasSize(8);
    }
}

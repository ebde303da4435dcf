package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A batch is added whose jobs exist: what comes after them must not run on what they were before. */
@ServerTest
class BatchesOfJobsThatExistTest {
    private static final List<String> PAGES = List.of("p1", "p2", "p3");

    private Proxy proxy;
    private JobQueue queue;
    private JobQueue creator;

    @BeforeEach
    void open(TestDatabase database) throws InterruptedException {
        queue = TestQueue.open(database);
        proxy = Proxy.before(database.server());
        creator = TestQueue.open(proxy.door(database));
        queue.addAll(PAGES.stream().map(page -> page(page, "yesterday")).toList());
        finishPages();
    }

    @AfterEach
    void close() {
        proxy.close();
        creator.close();
        queue.close();
    }

    @Test
    void the_completion_is_written_after_pages_that_exist() throws Exception {
        comesAfterThePages(slowReAdd(), jobs -> creator.addAll(jobs));
    }

    @Test
    void the_completion_is_written_after_pages_that_are_replaced() throws Exception {
        comesAfterThePages(slowReAdd(), jobs -> creator.replaceAll(jobs));
    }

    @Test
    void the_completion_is_written_after_pages_that_are_inserted_unless_they_are_unfinished() throws Exception {
        comesAfterThePages(slowReAdd(), jobs -> creator.insertIfNew(jobs));
    }

    @Test
    void the_completion_is_written_after_pages_that_retention_deleted() throws Exception {
        retire();
        comesAfterThePages(slowAnswer(), jobs -> creator.addAll(jobs));
    }

    @Test
    void the_completion_is_inserted_after_pages_that_retention_deleted() throws Exception {
        retire();
        comesAfterThePages(slowAnswer(), jobs -> creator.insert(jobs));
    }

    @Test
    void jobs_of_a_chain_are_written_one_after_the_other_whatever_their_order() {
        List<JobRequest> chain = List.of(
                JobRequest.builder("step")
                        .id("c")
                        .data(Map.of())
                        .after(new JobId("step", "b"))
                        .build(),
                JobRequest.builder("step")
                        .id("b")
                        .data(Map.of())
                        .after(new JobId("step", "a"))
                        .build(),
                JobRequest.builder("step").id("a").data(Map.of()).build());

        List<AddResult> added = queue.addAll(chain);

        assertThat(added).extracting(result -> result.id().id()).containsExactly("c", "b", "a");
        assertThat(added).extracting(AddResult::outcome).containsOnly(AddResult.Outcome.ADDED);
    }

    @Test
    void jobs_that_wait_for_each_other_are_written_all_the_same() {
        List<AddResult> added = queue.addAll(List.of(
                JobRequest.builder("step")
                        .id("a")
                        .data(Map.of())
                        .after(new JobId("step", "b"))
                        .build(),
                JobRequest.builder("step")
                        .id("b")
                        .data(Map.of())
                        .after(new JobId("step", "a"))
                        .build()));

        assertThat(added).extracting(AddResult::outcome).containsOnly(AddResult.Outcome.ADDED);
        assertThat(queue.get("step", "a").orElseThrow().after()).isPresent();
    }

    @Test
    void a_completion_that_was_let_go_and_has_not_run_waits_again() throws Exception {
        queue.add(JobRequest.builder("book").id("all").data(Map.of()).build());

        queue.addAll(batch());

        assertThat(queue.get("book", "all").orElseThrow().after()).isPresent();
    }

    @Test
    void a_completion_is_not_inserted_when_a_page_exists() {
        List<AddResult> inserted = queue.insert(batch());

        assertThat(inserted).extracting(AddResult::outcome).containsOnly(AddResult.Outcome.REJECTED);
        assertThat(queue.get("book", "all")).isEmpty();
    }

    @Test
    void a_completion_is_not_added_when_a_page_is_refused() throws Exception {
        retire();
        queue.types().change("page", settings -> settings.with(Limit.QUEUED, 2));

        List<AddResult> added = queue.addAll(batch());

        assertThat(added.get(2).outcome()).isEqualTo(AddResult.Outcome.REJECTED);
        assertThat(added.get(3).outcome()).isEqualTo(AddResult.Outcome.REJECTED);
        assertThat(added.get(3).problem()).contains("page:p3");
        assertThat(queue.get("book", "all")).isEmpty();
    }

    /** While the last page is on its way to be written again, or its answer on its way back, nothing that waits may be there. */
    private void comesAfterThePages(Held lastPage, Function<List<JobRequest>, List<?>> add) throws Exception {
        CompletableFuture<List<?>> adding = CompletableFuture.supplyAsync(() -> add.apply(batch()));
        lastPage.awaitArrival();
        assertThat(queue.get("book", "all")).isEmpty();
        lastPage.release();
        assertThat(adding.get(30, TimeUnit.SECONDS)).hasSize(4);
        assertThat(queue.get("book", "all").orElseThrow().after()).isPresent();
        PAGES.forEach(page -> assertThat(
                        queue.data("page", page).orElseThrow().path("of").asText())
                .isEqualTo("today"));
    }

    private Held slowReAdd() {
        return proxy.holdRequest(
                request -> isLastPage(request) && request.body().contains("_rev"));
    }

    private Held slowAnswer() {
        return proxy.holdAnswer(BatchesOfJobsThatExistTest::isLastPage);
    }

    private static boolean isLastPage(Proxy.Request request) {
        return request.isBulkWrite()
                && request.body().contains("job:page:p3")
                && request.body().contains("today");
    }

    private static List<JobRequest> batch() {
        List<JobRequest> batch = new ArrayList<>();
        JobRequest.Builder completion = JobRequest.builder("book").id("all").data(Map.of());
        for (String page : PAGES) {
            batch.add(page(page, "today"));
            completion.after(new JobId("page", page));
        }
        batch.add(completion.build());
        return batch;
    }

    private static JobRequest page(String id, String of) {
        return JobRequest.builder("page").id(id).data(Map.of("of", of)).build();
    }

    private void finishPages() throws InterruptedException {
        for (int left = PAGES.size(); left > 0; ) {
            List<ClaimedJob> claimed =
                    queue.accept(AcceptOptions.of("page").max(left).timeout(TestQueue.PATIENCE));
            claimed.forEach(ClaimedJob::finish);
            left -= claimed.size();
        }
    }

    private void retire() throws Exception {
        queue.types().change("page", settings -> settings.withRetention(new Retention.Delete()));
        try (Worker keepsTombstones =
                queue.worker().handler("idle", (data, context) -> null).start()) {
            TestQueue.gc(queue).run();
            assertThat(keepsTombstones.stats().running()).isZero();
        }
        assertThat(queue.get("page", "p1")).isEmpty();
    }
}

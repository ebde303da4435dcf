package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.create.ArrayCreator;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobType;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.QueueFullException;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Retention;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class AddingArraysTest {
    record Page(int number) {}

    private static final JobType<Page> PAGE = JobType.of("page", Page.class);
    private static final JobId CRAWL = new JobId("page", "crawl");

    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    private static List<Page> pages(int count) {
        return IntStream.range(0, count).mapToObj(Page::new).toList();
    }

    private JobArrays.State state() {
        return queue.arrays().get(CRAWL).orElseThrow();
    }

    private static Iterable<Page> brokenAfter(List<Page> pages, int count) {
        return () -> pages.stream()
                .peek(page -> {
                    if (page.number() == count) {
                        throw new IllegalStateException("the list ends here");
                    }
                })
                .iterator();
    }

    @Test
    void a_full_queue_takes_an_array_that_it_has_once_more_and_no_new_one() {
        queue.types().change("page", settings -> settings.with(Limit.QUEUED, 1));
        assertThat(queue.addArray(PAGE, "crawl", pages(1_203))).isEqualTo(1_203);
        assertThat(queue.addArray(PAGE, "crawl", pages(1_203))).isZero();
        assertThatThrownBy(() -> queue.addArray(PAGE, "other", pages(3))).isInstanceOf(QueueFullException.class);
        assertThat(queue.arrays().get(new JobId("page", "other"))).isEmpty();
    }

    @Test
    void nobody_can_wait_for_an_array_that_is_not_there_or_not_complete() {
        assertThatThrownBy(() -> queue.arrays().jobs(CRAWL)).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", brokenAfter(pages(6_000), 5_000)))
                .hasMessage("the list ends here");
        assertThatThrownBy(() -> queue.arrays().jobs(CRAWL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("array page:crawl is not complete: add it again, which adds what is missing");
    }

    @Test
    void the_same_array_is_added_once_also_after_a_creator_that_stopped_in_the_middle() {
        List<Page> all = pages(6_000);
        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", brokenAfter(all, 5_000)))
                .hasMessage("the list ends here");
        assertThat(state().isComplete()).isFalse();
        long before = state().items();

        assertThat(queue.addArray(PAGE, "crawl", all)).isEqualTo(6_000 - before);
        assertThat(queue.addArray(PAGE, "crawl", all)).isZero();
        assertThat(state()).isEqualTo(new JobArrays.State(12, 6_000, 0, 0, 0, true));
    }

    @Test
    @NeedsOneCopy("a copy that has not heard of the chunk takes it as a new one")
    void other_items_under_the_same_id_are_refused_and_name_the_chunk() {
        queue.addArray(PAGE, "crawl", pages(600));
        List<Page> changed = new ArrayList<>(pages(600));
        Collections.swap(changed, 550, 551);

        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", changed))
                .isInstanceOf(JobRefusedException.class)
                .hasMessage(
                        "job page:crawl:000002 is there with other items: array page:crawl was added with another list before");
        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", pages(700))).isInstanceOf(JobRefusedException.class);
    }

    @Test
    @NeedsOneCopy("a copy that has not heard of the chunk takes it as a new one")
    void another_list_under_the_same_id_leaves_no_chunk_behind() {
        queue.addArray(PAGE, "crawl", pages(600));

        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", pages(1_200))).isInstanceOf(JobRefusedException.class);
        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", pages(5_000))).isInstanceOf(JobRefusedException.class);
        JobRequest page = JobRequest.builder("page").id("crawl").data(Map.of()).build();
        assertThatThrownBy(() -> queue.arrays().add(page, pages(600), 100)).isInstanceOf(JobRefusedException.class);

        assertThat(state()).isEqualTo(new JobArrays.State(2, 600, 0, 0, 0, true));
    }

    @Test
    @NeedsOneCopy("a copy that has not heard of the chunk takes it as a new one")
    void another_list_is_refused_before_chunks_that_are_gone_are_added() {
        List<Page> others = new ArrayList<>(pages(1_203));
        Collections.reverse(others);
        queue.addArray(PAGE, "crawl", pages(1_203));

        queue.remove(ArrayCreator.chunkId(CRAWL, 1));
        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", others)).isInstanceOf(JobRefusedException.class);
        assertThat(queue.get(ArrayCreator.chunkId(CRAWL, 1))).isEmpty();

        queue.remove(ArrayCreator.chunkId(CRAWL, 2));
        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", others))
                .isInstanceOf(JobRefusedException.class)
                .hasMessageStartingWith("job page:crawl:000003 is there with other items");
        assertThat(queue.arrays().chunks(CRAWL)).hasSize(1);

        assertThat(queue.addArray(PAGE, "crawl", pages(1_203))).isEqualTo(1_000);
    }

    @Test
    void an_array_of_which_a_chunk_was_refused_is_not_complete() {
        queue.database()
                .put(Jobs.json("{'_id':'_design/refusal','validate_doc_update':"
                        + "'function (doc) { if (/crawl:000002$/.test(doc._id)) throw {forbidden: true}; }'}"));

        assertThatThrownBy(() -> queue.addArray(PAGE, "crawl", pages(2_000)));

        assertThat(state().isComplete()).isFalse();
    }

    private Map<JobId, ClaimedJob> claimAll() throws InterruptedException {
        Map<JobId, ClaimedJob> claims = new HashMap<>();
        for (int chunks = state().chunks(); claims.size() < chunks; ) {
            ClaimedJob claim = queue.accept(AcceptOptions.of("page")).get(0);
            claims.put(claim.id(), claim);
        }
        return claims;
    }

    @Test
    void nothing_is_to_be_added_to_an_array_whose_last_chunk_retention_deleted() throws Exception {
        queue.types().change("page", settings -> settings.withRetention(new Retention.Delete()));
        queue.addArray(PAGE, "crawl", pages(1_203));
        claimAll().get(ArrayCreator.chunkId(CRAWL, 3)).finish();
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(Map.of("page", 1L));

        assertThat(state()).isEqualTo(new JobArrays.State(2, 1_000, 0, 0, 2, true));
        assertThat(queue.arrays().jobs(CRAWL))
                .containsExactly(ArrayCreator.chunkId(CRAWL, 1), ArrayCreator.chunkId(CRAWL, 2));
    }

    @Test
    void an_array_whose_last_chunk_somebody_removed_is_not_complete() {
        queue.addArray(PAGE, "crawl", pages(1_203));
        queue.remove(ArrayCreator.chunkId(CRAWL, 3));

        assertThat(state().isComplete()).isFalse();
        assertThatThrownBy(() -> queue.arrays().jobs(CRAWL)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_wrong_item_is_named() {
        JobType<Object> any = JobType.of("page", Object.class);
        assertThatThrownBy(() -> queue.addArray(any, "crawl", List.of(new Page(0), "text")))
                .isInstanceOf(InvalidJobDataException.class)
                .hasMessage("item 1 of array page:crawl: data must be a JSON object, not \"text\"");
        assertThatThrownBy(() -> queue.addArray(any, "crawl", List.of(Map.of("text", "x".repeat(70_000)))))
                .hasMessage("item 0 of array page:crawl has 70011 bytes; an item may have 65536");
        assertThatThrownBy(() -> queue.addArray(any, "crawl", List.of())).hasMessage("array page:crawl has no items");
        assertThat(queue.arrays().get(CRAWL)).isEmpty();
    }
}

package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.Worker;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a run tells while it runs, and the server refuses to store. */
@ServerTest
class RefusedNotesTest {
    record Page(int number) {}

    private static final JobType<Page> PAGE = JobType.of("page", Page.class);
    private static final JobId CRAWL = new JobId("page", "crawl");
    private static final String SMILE = "\ud83d\ude00";

    private JobQueue queue;
    private final AtomicInteger runs = new AtomicInteger();

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        queue.close(); // and its workers
    }

    /** From now on the server refuses documents that have the text "refuse me" somewhere. The nodes of a cluster learn that one by one. */
    private void refuse() throws Exception {
        var unused = queue.database()
                .put(
                        JsonNodeFactory.instance
                                .objectNode()
                                .put("_id", "_design/rule")
                                .put(
                                        "validate_doc_update",
                                        "function (doc) { if (JSON.stringify(doc).indexOf('refuse me') >= 0) throw {forbidden: 'no'}; }"));
        TestQueue.until(() -> IntStream.range(0, 20).allMatch(any -> isRefused("probe-" + UUID.randomUUID())));
    }

    private boolean isRefused(String docId) {
        return queue.database()
                        .put(JsonNodeFactory.instance
                                .objectNode()
                                .put("_id", docId)
                                .put("text", "refuse me"))
                instanceof WriteResult.Refused;
    }

    private Job run(JobHandler<ObjectNode> handler) throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        Worker unused = queue.worker()
                .handler("email", (data, context) -> {
                    runs.incrementAndGet();
                    return handler.handle(data, context);
                })
                .start();
        TestQueue.until(() -> queue.get("email", "1")
                .filter(job ->
                        job.status() != JobStatus.WAITING && !job.status().isLocked())
                .isPresent());
        return queue.get("email", "1").orElseThrow();
    }

    @Test
    void a_step_that_is_refused_is_left_out_and_the_run_ends() throws Exception {
        refuse();
        Job job = run((data, context) -> {
            context.progress(50, "refuse me");
            return "done";
        });
        assertThat(job.status()).as("%s", job.errors()).isEqualTo(JobStatus.SUCCESS);
        assertThat(runs).hasValue(1);
    }

    @Test
    void a_chunk_whose_items_are_refused_fails_for_good() throws Exception {
        refuse();
        queue.addArray(PAGE, "crawl", IntStream.range(0, 3).mapToObj(Page::new).toList());
        Worker unused = queue.worker()
                .handler(PAGE, (page, context) -> {
                    runs.incrementAndGet();
                    return Map.of("text", page.number() == 1 ? "refuse me" : "fine");
                })
                .start();
        TestQueue.until(() -> queue.all("page").anyMatch(job -> job.status().phase() == JobPhase.FINISHED));
        assertThat(queue.all("page").map(Job::status)).containsExactly(JobStatus.FAILED);
        assertThat(runs.get()).isBetween(3, 6);
    }

    @Test
    void half_of_a_character_in_a_step_costs_nothing() throws Exception {
        Job job = run((data, context) -> {
            context.progress(50, SMILE.substring(0, 1));
            return "done";
        });
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_long_error_text_of_wide_characters_is_cut_between_them_and_the_job_runs_again() throws Exception {
        Job job = run((data, context) -> {
            throw new IllegalStateException(
                    SMILE.repeat(2_000)); // the name of the class has 31 letters, so the cut is in a pair
        });
        assertThat(job.status()).isEqualTo(JobStatus.STUCK);
        assertThat(job.errors().get(0).message()).endsWith(SMILE + "...");
    }

    @Test
    void a_long_line_of_the_log_is_cut_between_characters_and_all_lines_are_there() throws Exception {
        Job job = run((data, context) -> {
            context.log("first");
            context.log("a".repeat(8_191) + SMILE);
            context.log("last");
            return null;
        });
        assertThat(queue.logs()
                        .read(job.id())
                        .flatMap(chunk -> chunk.lines().stream())
                        .map(line -> line.text()))
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("first"),
                        line -> assertThat(line).endsWith("aaa..."),
                        line -> assertThat(line).isEqualTo("last"));
    }

    @Test
    void an_item_that_loses_a_claim_of_another_job_fails_alone() throws Exception {
        queue.add(JobRequest.builder("other").id("x").data(Map.of()).build());
        ClaimedJob other = queue.accept(AcceptOptions.of("other")).get(0);
        other.finish();
        queue.addArray(PAGE, "crawl", IntStream.range(0, 3).mapToObj(Page::new).toList());
        Worker unused = queue.worker()
                .handler(PAGE, (page, context) -> {
                    runs.incrementAndGet();
                    if (page.number() == 0) {
                        other.update();
                    }
                    return null;
                })
                .start();
        TestQueue.until(() -> queue.all("page").anyMatch(job -> job.status() == JobStatus.STUCK));
        assertThat(queue.arrays().items(CRAWL).map(item -> item.status()).toList())
                .containsExactly(JobStatus.STUCK, JobStatus.SUCCESS, JobStatus.SUCCESS);
    }
}

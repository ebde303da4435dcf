package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.testing.Deep;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A document that is nested too deeply is a malformed job: it stops nobody, and can be removed. */
@ServerTest
@Timeout(120)
@SuppressWarnings("try")
class DeepDocumentsTest {
    private static final int OTHERS = 6;

    @ParameterizedTest
    @ValueSource(ints = {501, 850, 1000, 1190, 10_000})
    void one_deep_document_keeps_no_other_job_from_being_run(int levels, TestDatabase database) throws Exception {
        TestQueue.assumeThatAnythingCanBeStored();
        try (JobQueue queue = TestQueue.open(database)) {
            assumeThatIndexesSurvive(levels, queue, database);
            store(database, "job:email:deep", levels);
            add(queue, "before");
            try (Worker unused =
                    queue.worker().handler("email", (data, context) -> "done").start()) {
                awaitFinished(queue, "before");
                store(database, "job:email:deeper", levels);
                store(database, "mine", levels);
                add(queue, "after");
                awaitFinished(queue, "after");
            }
        }
    }

    @Test
    void one_document_with_a_very_long_name_in_it_keeps_no_job_from_being_run(TestDatabase database) throws Exception {
        TestQueue.assumeThatAnythingCanBeStored();
        try (JobQueue queue = TestQueue.open(database)) {
            String json = "{\"data\":{\"" + "n".repeat(1_000_000) + "\":1}}";
            assertThat(Deep.put(database, "job:email:long", json).statusCode()).isEqualTo(201);
            add(queue, "other");
            try (Worker unused =
                    queue.worker().handler("email", (data, context) -> "done").start()) {
                awaitFinished(queue, "other");
                assertThat(TestQueue.finished(queue, "email", "long").status()).isEqualTo(JobStatus.SUCCESS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {501, 1190, 10_000})
    void a_deep_document_is_listed_as_malformed_and_can_be_removed(int levels, TestDatabase database) throws Exception {
        TestQueue.assumeThatAnythingCanBeStored();
        try (JobQueue queue = TestQueue.open(database)) {
            assumeThatIndexesSurvive(levels, queue, database);
            store(database, "job:email:deep", levels);
            assertThatThrownBy(() -> queue.get("email", "deep"))
                    .isInstanceOf(MalformedDocumentException.class)
                    .hasMessageContaining("job:email:deep")
                    .hasMessageContaining("field data is nested too deeply")
                    .hasMessageContaining("500 levels");
            assertThatThrownBy(() -> queue.setPriority("email", "deep", 7))
                    .isInstanceOf(MalformedDocumentException.class);
            String lists = new DesignDocuments(queue.database())
                    .installed().stream()
                            .filter(name -> name.startsWith("lists-"))
                            .findFirst()
                            .orElseThrow();
            assertThat(queue.database().view(ViewQuery.of(lists, "malformed")).rows())
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.id()).isEqualTo("job:email:deep");
                        assertThat(row.key().asText()).isEqualTo("data");
                    });
            queue.remove("email", "deep");
            assertThat(queue.get("email", "deep")).isEmpty();
            queue.add(JobRequest.builder("email").id("deep").data(Map.of()).build());
            assertThat(queue.get("email", "deep")).isPresent();
        }
    }

    @Test
    void a_document_of_which_something_was_left_out_is_never_written_back(TestDatabase database) throws Exception {
        TestQueue.assumeThatAnythingCanBeStored();
        try (JobQueue queue = TestQueue.open(database)) {
            store(database, "mine", 1190);
            var read = queue.database().get("mine").orElseThrow();
            assertThatThrownBy(() -> queue.database().put(read))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("nesting depth");
        }
    }

    @Test
    void a_job_may_have_so_many_levels_and_no_more(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            queue.add(JobRequest.builder("email")
                    .id("deepest")
                    .data(Map.of("x", Deep.list(498)))
                    .build());
            assertThatThrownBy(() -> queue.add("email", Map.of("x", Deep.list(499))))
                    .isInstanceOf(InvalidJobDataException.class)
                    .hasMessageContaining("data is nested too deeply")
                    .hasMessageContaining("500 levels");
            try (Worker unused = queue.worker()
                    .handler("email", (data, context) -> {
                        assertThatThrownBy(() -> context.update(Map.of("x", Deep.list(499))))
                                .isInstanceOf(InvalidJobDataException.class);
                        context.update(data);
                        return Deep.list(499);
                    })
                    .handler("sms", (data, context) -> Deep.list(500))
                    .start()) {
                Job deepest = TestQueue.finished(queue, "email", "deepest");
                assertThat(deepest.status()).as("%s", deepest.errors()).isEqualTo(JobStatus.SUCCESS);
                queue.add(JobRequest.builder("sms").id("1").data(Map.of()).build());
                Job failed = TestQueue.finished(queue, "sms", "1");
                assertThat(failed.status()).isEqualTo(JobStatus.FAILED);
                assertThat(failed.errors().get(0).message())
                        .contains("the result")
                        .contains("500 levels");
            }
        }
    }

    private static void add(JobQueue queue, String id) {
        for (int i = 0; i < OTHERS; i++) {
            queue.add(JobRequest.builder("email").id(id + i).data(Map.of()).build());
        }
    }

    private static void awaitFinished(JobQueue queue, String id) throws InterruptedException {
        for (int i = 0; i < OTHERS; i++) {
            assertThat(TestQueue.finished(queue, "email", id + i).status()).isEqualTo(JobStatus.SUCCESS);
        }
    }

    /** How deep the server's JavaScript goes depends on what it was built with; a plain view tells, without anything of ours. */
    private static void assumeThatIndexesSurvive(int levels, JobQueue queue, TestDatabase database) throws Exception {
        store(database, "probe", levels);
        queue.database().put(Jobs.json("{'_id':'_design/probe','views':{'all':{'map':'function(doc){emit(1)}'}}}"));
        try {
            assertThat(queue.database().view(ViewQuery.of("probe", "all")).rows())
                    .isNotEmpty();
        } catch (CouchException trouble) {
            assumeFalse(
                    trouble.error().equals("InternalError"),
                    "this server's JavaScript dies of a document of " + levels + " levels, see docs/security.md");
            throw trouble;
        }
    }

    private static void store(TestDatabase database, String id, int levels) throws Exception {
        int status = Deep.put(database, id, Deep.document("data", levels)).statusCode();
        boolean isPouchDb = database.serverName().contains("PouchDB");
        assumeFalse(status == 400, "the embedded server stores no document of more than 1,200 levels");
        assumeFalse(
                isPouchDb && status == 500,
                "PouchDB Server goes through documents by recursion, and stores no such one");
        assertThat(status).isEqualTo(201);
    }
}

package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.JobId;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The answers of the HTTP API when CouchDB does not store a job. */
@Timeout(60)
class RefusedWritesTest {
    private EmbeddedCouch couch;
    private JobQueue queue;
    private Dashboard dashboard;
    private Program program;

    @BeforeEach
    void start() {
        couch = EmbeddedCouch.inMemory().start();
        queue = JobQueue.builder(couch.url() + "jobs").renewLeases(false).open();
        dashboard = Dashboard.of(queue).api().listen("127.0.0.1", 0);
        program = new Program(dashboard.url());
    }

    @AfterEach
    void stop() {
        dashboard.close();
        queue.close();
        couch.close();
    }

    @Test
    void a_job_that_a_rule_of_the_database_forbids_is_forbidden() throws Exception {
        validate("throw({forbidden: 'not on Sundays'})");
        Program.Answer refused = add();
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.detail()).contains("not on Sundays");
    }

    @Test
    void a_rule_that_asks_for_a_login_does_not_have_the_program_log_in_anew() throws Exception {
        validate("throw({unauthorized: 'members only'})");
        assertThat(add().status()).isEqualTo(403);
    }

    @Test
    void a_job_that_is_too_large_for_the_database_is_too_large() throws Exception {
        couch.faults().answer(1, request -> request.path().endsWith("/_bulk_docs"), 413);
        Program.Answer refused = add();
        assertThat(refused.status()).isEqualTo(413);
        assertThat(refused.detail()).contains("max_document_size");
    }

    @Test
    void a_server_that_fails_on_a_job_each_time_has_failed() throws Exception {
        validate("throw new Error('no memory')");
        Program.Answer failed = add();
        assertThat(failed.status()).isEqualTo(502);
        assertThat(failed.detail()).contains("it may have stored it");
    }

    @Test
    void a_job_that_others_keep_changing_is_to_be_asked_for_again() {
        assertThat(DashboardHandler.status(new ContentionException(new JobId("email", "1"), 12)))
                .isEqualTo(503);
    }

    private void validate(String body) {
        queue.database()
                .put(Call.JSON
                        .createObjectNode()
                        .put("_id", "_design/rules")
                        .put("validate_doc_update", "function (newDoc, oldDoc) { " + body + " }"));
    }

    private Program.Answer add() throws Exception {
        return program.post("/jobs", Map.of("type", "email", "id", "1"));
    }
}

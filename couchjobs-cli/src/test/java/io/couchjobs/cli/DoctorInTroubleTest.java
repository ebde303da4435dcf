package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobRequest;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A step of {@code doctor --fix} that fails keeps it neither from the next one nor from telling what it found. */
@Timeout(60)
class DoctorInTroubleTest {
    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
    private final JobQueue queue = JobQueue.open(couch.url() + "queue");
    private final TestShell shell = new TestShell().with("COUCHJOBS_URL", couch.url() + "queue");

    @BeforeEach
    void init() {
        shell.done("init");
    }

    @AfterEach
    void close() {
        queue.close();
        couch.close();
    }

    @Test
    void a_conflict_that_cannot_be_resolved_is_told_and_the_others_are() {
        withdraw("job:email:1");
        withdraw("job:email:2");
        couch.faults().answer(1_000, request -> request.path().matches(".*job(:|%3A)email(:|%3A)1"), 403);

        TestShell.Said said = shell.run("doctor", "--fix");

        assertThat(said.exitCode()).as(said.err()).isEqualTo(1);
        assertThat(said.err())
                .contains("couchjobs: could not resolve job:email:1: ")
                .doesNotContain("GET /", "POST /", "PUT /")
                .contains("couchjobs: resolved job:email:2");
        assertThat(said.out()).contains("conflicts", "tombstones");
    }

    @Test
    void a_job_that_cannot_be_taken_from_its_owner_is_told_and_the_others_are() throws Exception {
        for (String id : new String[] {"1", "2"}) {
            queue.add(JobRequest.builder("email").id(id).data(Map.of()).build());
        }
        queue.accept(AcceptOptions.of("email").max(2));
        couch.faults().answer(1_000, request -> request.path().matches(".*job(:|%3A)email(:|%3A)1"), 403);

        TestShell.Said said = shell.run("doctor", "--fix", "--yes");

        assertThat(said.exitCode()).as(said.out()).isEqualTo(1);
        assertThat(said.err())
                .contains("couchjobs: could not take email:1 from client-")
                .contains("couchjobs: took email:2 from client-")
                .doesNotContain("GET /", "POST /", "PUT /");
        assertThat(said.out()).contains("owners", "tombstones");
    }

    @Test
    void a_step_that_fails_is_told_and_fails_the_command_also_when_it_is_quiet() throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        queue.accept(AcceptOptions.of("email"));
        couch.faults().answer(1_000, request -> request.path().matches(".*job(:|%3A)email(:|%3A)1"), 403);

        TestShell.Said said = shell.run("doctor", "--fix", "--yes", "-q");

        assertThat(said.exitCode()).as(said.out()).isEqualTo(1);
        assertThat(said.err())
                .startsWith("couchjobs: could not take email:1 from client-")
                .hasLineCount(1);
    }

    @Test
    void design_documents_that_cannot_be_stored_are_told_and_the_other_checks_are_made() {
        ObjectNode design = new DesignDocuments(queue.database())
                .read(DesignDocument.LISTS.versionedName())
                .orElseThrow();
        queue.database().put(design.put("_deleted", true));
        couch.faults().answer(1_000, request -> request.path().matches(".*/(_design/[^/]*|_bulk_docs)"), 403);

        TestShell.Said said = shell.run("doctor", "--fix");

        assertThat(said.exitCode()).as(said.err()).isEqualTo(1);
        assertThat(said.err()).contains("couchjobs: could not mend design: ");
        assertThat(said.out()).contains("conflicts", "tombstones");
    }

    private void withdraw(String id) {
        ObjectNode job = JsonNodeFactory.instance
                .objectNode()
                .put("_id", id)
                .put("status", "running")
                .put("fence", 1);
        job.putObject("lock")
                .put("token", "t")
                .put("worker", "w")
                .putObject("withdrawn")
                .put("at", 1);
        queue.database().put(job);
    }
}

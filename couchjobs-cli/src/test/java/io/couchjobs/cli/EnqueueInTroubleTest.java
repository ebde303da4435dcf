package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code enqueue} says of a job that is refused, or gone already. */
@Timeout(60)
class EnqueueInTroubleTest {
    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
    private final TestShell shell = new TestShell().with("COUCHJOBS_URL", couch.url() + "queue");

    @BeforeEach
    void init() {
        shell.done("init");
    }

    @AfterEach
    void close() {
        couch.close();
    }

    @Test
    void a_new_job_of_a_full_type_is_refused_as_well_when_it_would_replace_another() {
        shell.done("type", "set", "email", "--max-queued", "1");
        shell.done("enqueue", "email", "1", "--replace");

        TestShell.Said said = shell.run("enqueue", "email", "2", "--replace");

        assertThat(said.exitCode()).as(said.err()).isEqualTo(4);
        assertThat(said.err()).contains("maxQueued 1", "email:2 was not added").hasLineCount(1);
        shell.done("enqueue", "email", "1", "--data", "{\"n\":1}", "--replace");
    }

    /** As if a worker and the retention were quicker than the command. */
    private void goesAtOnce() {
        couch.faults().answer(1, EnqueueInTroubleTest::readsJob, 404, "missing");
    }

    private static boolean readsJob(Faults.Request request) {
        return request.method().equals("GET") && request.path().matches(".*/job(:|%3A).*");
    }

    @Test
    void a_job_that_was_added_and_is_gone_already_is_named() {
        goesAtOnce();
        TestShell.Said said = shell.run("enqueue", "email", "--if-new", "monday");
        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out()).as(said.err()).hasLineCount(1);
        assertThat(said.err()).isEmpty();
    }

    @Test
    void a_job_that_was_added_and_is_gone_already_is_known_to_programs() {
        goesAtOnce();
        TestShell.Said said = shell.run("enqueue", "email", "--if-new", "monday", "-o", "json");
        assertThat(said.json().path("type").asText()).isEqualTo("email");
        assertThat(said.json().path("id").asText()).isNotEmpty();
        assertThat(said.json().path("state").asText()).isEqualTo("not_found");
    }
}

package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class WorkersCommandTest {
    @Test
    @SuppressWarnings("try") // the worker only has to be there
    void workers_are_listed_with_what_they_run(TestDatabase database) throws Exception {
        TestShell shell = TestShell.at(database);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (JobQueue queue = TestShell.queue(database);
                Worker worker = queue.worker()
                        .id("smith")
                        .handler("email", (data, context) -> {
                            context.progress(40, "halfway\u001b[2J");
                            running.countDown();
                            end.await();
                            return null;
                        })
                        .start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            running.await();
            queue.add(JobRequest.builder("report").id("1").data(Map.of()).build());
            queue.accept(AcceptOptions.of("report"));

            JsonNode workers = shell.run("workers", "-o", "json").json();
            JsonNode mailers =
                    shell.run("workers", "--type", "email", "-o", "json").json();
            String table = shell.run("workers").out();
            end.countDown();

            assertThat(workers).hasSize(2);
            JsonNode smith = workers.get(1);
            assertThat(smith.path("id").asText()).isEqualTo("smith");
            assertThat(smith.path("state").asText()).isEqualTo("live");
            assertThat(smith.path("types")).hasToString("[\"email\"]");
            assertThat(smith.path("pid").asLong())
                    .isEqualTo(ProcessHandle.current().pid());
            assertThat(smith.at("/jobs/0/status").asText()).isEqualTo("running");
            assertThat(workers.get(0).path("state").asText()).isEqualTo("unregistered");
            assertThat(workers.get(0).at("/jobs/0/type").asText()).isEqualTo("report");
            assertThat(mailers).hasSize(1);
            assertThat(mailers.get(0).path("id").asText()).isEqualTo("smith");
            assertThat(table.lines().skip(1).toList().toString())
                    .contains("smith", "email:1", "report:1")
                    .doesNotContain("\u001b");
        }
    }

    @Test
    void data_of_an_owned_job_is_told_also_when_it_is_attached(TestDatabase database) throws Exception {
        try (JobQueue queue = TestShell.queue(database)) {
            queue.add(JobRequest.builder("report")
                    .id("1")
                    .data(Map.of("text", "x".repeat(40_000)))
                    .build());
            queue.accept(AcceptOptions.of("report"));
            JsonNode job =
                    TestShell.at(database).run("workers", "-o", "json").json().at("/0/jobs/0");
            assertThat(job.at("/data/text").asText())
                    .as("" + job.path("dataProblem"))
                    .hasSize(40_000);
        }
    }

    @Test
    void ids_of_workers_are_told_without_reading_the_data_of_their_jobs() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.open(couch.url() + "queue")) {
            queue.add(JobRequest.builder("report")
                    .id("1")
                    .data(Map.of("text", "x".repeat(40_000)))
                    .build());
            queue.accept(AcceptOptions.of("report"));
            couch.faults().answer(1_000, request -> request.path().matches(".*job(:|%3A)report(:|%3A)1/.*"), 500);
            TestShell shell = new TestShell().with("COUCHJOBS_URL", couch.url() + "queue");

            assertThat(shell.done("workers", "-o", "id").out()).startsWith("client-");
        }
    }
}

package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.QueueExtension;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.AddResult;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The answer of the HTTP API for a job that has run, and was removed, before it could be read. */
@Timeout(60)
class JobsThatEndAtOnceTest {
    /** A worker and a retention that are quicker than the one who adds. */
    private static final class Remover implements QueueExtension {
        private JobQueue queue;

        @Override
        public void opened(JobQueue opened) {
            queue = opened;
        }

        @Override
        public void added(AddResult result) {
            queue.remove(result.id());
        }
    }

    @Test
    void a_job_with_a_tracker_was_added_though_it_is_gone_already() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(couch.url() + "jobs")
                        .extension(new Remover())
                        .open();
                Dashboard dashboard = Dashboard.of(queue).api().listen("127.0.0.1", 0)) {
            Program.Answer added =
                    new Program(dashboard.url()).post("/jobs", Map.of("type", "email", "tracker", "daily"));

            assertThat(added.status()).as(added.detail()).isEqualTo(201);
            assertThat(added.json().path("outcome").asText()).isEqualTo("added");
            assertThat(added.json().at("/job/type").asText()).isEqualTo("email");
            assertThat(added.json().at("/job/id").asText()).isNotEmpty();
        }
    }
}

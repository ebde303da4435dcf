package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.HeardWarnings;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the warnings of the whole process are heard")
class RefusedClaimsTest {
    private static final String RULE =
            "function (doc) { if (doc._id === 'job:email:1' && doc.lock) throw {forbidden: 'no claims of it'}; }";

    @Test
    void a_claim_that_the_database_refuses_is_told_once_and_is_no_lost_race() throws Exception {
        List<Job> lost = new CopyOnWriteArrayList<>();
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().database("jobs").start();
                HeardWarnings heard = new HeardWarnings();
                JobQueue queue = JobQueue.builder(couch.url().resolve("jobs"))
                        .extension(listening(lost))
                        .open()) {
            var unused = queue.database()
                    .put(JsonNodeFactory.instance
                            .objectNode()
                            .put("_id", "_design/rule")
                            .put("validate_doc_update", RULE));
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            try (Worker worker =
                    queue.worker().handler("email", (data, context) -> null).start()) {
                TestQueue.until(() -> heard.all().stream().anyMatch(line -> line.contains("no claims of it")));
                for (int i = 2; i < 20; i++) {
                    queue.add(JobRequest.builder("email")
                            .id("" + i)
                            .data(Map.of())
                            .build());
                    Job job = TestQueue.finished(queue, "email", "" + i);
                    assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
                }
                assertThat(worker.stats().failed()).isZero();
            }
            assertThat(heard.all()).singleElement().asString().contains("email:1", "no claims of it");
            assertThat(lost).isEmpty();
        }
    }

    private static QueueExtension listening(List<Job> lost) {
        return new QueueExtension() {
            @Override
            public void claimLost(Job job) {
                lost.add(job);
            }
        };
    }
}

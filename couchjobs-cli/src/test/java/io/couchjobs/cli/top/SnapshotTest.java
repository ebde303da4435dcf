package io.couchjobs.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobId;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SnapshotTest {
    @Test
    void failures_of_a_chosen_type_are_there_below_fifty_later_ones_of_another() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.open(couch.url() + "jobs")) {
            JobId early = new JobId("email", "1");
            queue.database().put(failed(early, 1_000));
            IntStream.range(0, 50)
                    .mapToObj(i -> failed(new JobId("report", "" + i), 2_000 + i))
                    .forEach(queue.database()::put);

            assertThat(Snapshot.of(queue, Meter.Rates.UNKNOWN, Optional.of("email"))
                            .failures())
                    .singleElement()
                    .satisfies(job -> assertThat(job.id()).isEqualTo(early));
            assertThat(Snapshot.of(queue, Meter.Rates.UNKNOWN, Optional.empty()).failures())
                    .hasSize(50)
                    .noneMatch(job -> job.id().equals(early));
            assertThat(Snapshot.of(queue, Meter.Rates.UNKNOWN, Optional.of("none"))
                            .failures())
                    .isEmpty();
        }
    }

    private static ObjectNode failed(JobId id, long end) {
        ObjectNode job = JsonNodeFactory.instance.objectNode().put("_id", id.docId());
        job.put("status", "failed").putObject("data");
        job.putObject("times").put("created", 500).put("finished", end);
        return job;
    }
}

package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The example of a subscription on the API map runs. */
@ServerTest
class SubscribingExampleTest {
    @Test
    void the_example_runs(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            queue.add(JobRequest.builder("email")
                    .id("42")
                    .data(Map.of("to", "ada@example.org"))
                    .build());
            try (Worker worker =
                    queue.worker().handler("email", (data, context) -> "sent").start()) {
                assertThat(worker.id()).isNotEmpty();
                try (Subscription mail = queue.subscribe("email", "42")) {
                    System.out.println(
                            "now " + mail.phase() + ", " + mail.data().orElseThrow());
                    mail.changes().forEach(event -> System.out.println("then " + event.phase()));
                }
            }
            assertThat(queue.phase("email", "42")).isEqualTo(JobPhase.FINISHED);
        }
    }

    @Test
    void the_map_quotes_it() throws Exception {
        String map = Files.readString(Path.of("../docs/api-map.md"));
        int start = map.indexOf("try (Subscription mail");
        String quoted = map.substring(start, map.indexOf("```", start));
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/SubscribingExampleTest.java"));
        assertThat(withoutSpace(source)).contains(withoutSpace(quoted));
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }
}

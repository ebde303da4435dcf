package io.couchjobs.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Logs;
import io.couchjobs.testing.LastingPort;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.testing.TestQueue;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of one run. */
class RunLogTest {
    @Test
    void lines_wait_until_the_database_is_back(@TempDir Path folder) throws Exception {
        int port = LastingPort.find();
        EmbeddedCouch server = start(folder, port);
        try (JobQueue queue =
                        JobQueue.builder(URI.create(server.url() + "jobs")).open();
                SteppedParts stepped = new SteppedParts(queue);
                Finder finder = new Finder(stepped.parts(), "worker")) {
            queue.add("email", Map.of());
            QueueParts parts = stepped.parts();
            RunLog log = new RunLog(
                    finder.accept(AcceptOptions.of("email").timeout(Duration.ZERO))
                            .get(0),
                    new JobLogs(parts.store(), parts.feed()),
                    InstantSource.system());
            server.close();
            for (int i = 0; i < 6; i++) {
                log.add("line " + i);
                log.flush();
                TestQueue.until(log::hasLinesToWrite);
            }

            server = start(folder, port);
            TestQueue.until(() -> {
                log.flush();
                return lines(queue).size() == 6;
            });
            assertThat(lines(queue)).first().isEqualTo("line 0");
        } finally {
            server.close();
        }
    }

    private static List<String> lines(JobQueue queue) {
        return queue.logs()
                .read(queue.all("email").findFirst().orElseThrow().id())
                .flatMap(chunk -> chunk.lines().stream())
                .map(Logs.Chunk.Line::text)
                .toList();
    }

    private static EmbeddedCouch start(Path folder, int port) {
        return EmbeddedCouch.builder().directory(folder).port(port).start();
    }
}

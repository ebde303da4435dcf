package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.testing.LastingPort;
import io.couchjobs.testing.TestQueue;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service for scopes outlives that its database is away. */
class ScopeOutagesTest {
    private static final Scope ONE = Scope.of("index", 1);

    @TempDir
    Path folder;

    @Test
    void a_service_that_begins_while_the_database_is_away_serves_when_it_is_back() throws Exception {
        int port = LastingPort.find();
        EmbeddedCouch server =
                EmbeddedCouch.builder().directory(folder).port(port).start();
        String url = server.url().resolve("jobs").toString();
        try (JobQueue queue = JobQueue.builder(url).renewLeases(false).open()) {
            queue.scopes().start(ONE);
            queue.scopes()
                    .submit(
                            ONE,
                            JobRequest.builder("index").id("a").data(Map.of()).build());
            server.close();
            queue.scopes().serve(ScopeService.of("index", ObjectNode.class, (data, context) -> "done"));
            server = EmbeddedCouch.builder().directory(folder).port(port).start();
            try (JobQueue other = JobQueue.builder(url).renewLeases(false).open()) {
                assertThat(TestQueue.finished(other, ONE.jobType(), "a").status())
                        .isEqualTo(JobStatus.SUCCESS);
            }
        } finally {
            server.close();
        }
    }
}

package io.couchjobs.engine.worker;

import static io.couchjobs.testing.TestQueue.until;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a worker comes to know of held jobs of which its feed tells without the documents. */
@Timeout(60)
class FindingDependenciesTest {
    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofMillis(1);

    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
    private final JobQueue queue =
            JobQueue.builder(couch.url() + "jobs").renewLeases(false).open();

    @BeforeEach
    void hold() {
        queue.operations().init();
        queue.add(JobRequest.builder("email").id("first").data(Map.of()).build());
        queue.add(JobRequest.builder("email")
                .id("last")
                .data(Map.of())
                .after(new JobId("email", "first"))
                .build());
        ObjectNode first = queue.database().get("job:email:first").orElseThrow();
        queue.database().put(first.put("status", "success"));
    }

    @AfterEach
    void close() {
        queue.close();
        couch.close();
    }

    @Test
    void a_new_one_is_found() throws Exception {
        try (Dependencies held = TestDependencies.of(queue, SOON, NEVER)) {
            held.unread(notice("1-a"));
            until(this::isLetGo);
        }
    }

    @Test
    void one_that_was_there_before_is_found_too() throws Exception {
        try (Dependencies held = TestDependencies.of(queue, NEVER, SOON)) {
            held.unread(notice("4-a"));
            until(this::isLetGo);
        }
    }

    @Test
    void a_new_one_does_not_wait_until_one_that_was_there_before_is_looked_for() throws Exception {
        try (Dependencies held = TestDependencies.of(queue, SOON, NEVER)) {
            held.unread(notice("4-a"));
            held.unread(notice("1-a"));
            until(this::isLetGo);
        }
    }

    private boolean isLetGo() {
        return queue.get("email", "last").orElseThrow().after().isEmpty();
    }

    private static FeedNotice notice(String rev) {
        return new FeedNotice("job:email:last", List.of(rev), false, false);
    }
}

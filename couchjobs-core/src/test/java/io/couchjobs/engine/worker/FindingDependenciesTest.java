package io.couchjobs.engine.worker;

import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults.Request;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
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

    @Test
    void while_very_many_new_ones_come_it_is_found_when_others_have_had_them_indexed() throws Exception {
        var unused = queue.database()
                .bulkDocs(IntStream.range(0, 2_500)
                        .mapToObj(n -> JsonNodeFactory.instance.objectNode().put("_id", "n" + n))
                        .toList());
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger looked = new AtomicInteger();
        couch.faults().answer(1, request -> counts(request, "/_info", looked) || counts(request, "/held", asked), 500);
        try (Dependencies held = TestDependencies.of(queue, SOON, NEVER)) {
            held.unread(notice("1-a"));
            until(() -> looked.get() > 2);
            assertThat(asked).hasValue(0);
            assertThat(queue.types().pendingCount("email", Instant.now(), 10)).isZero();
            until(this::isLetGo);
        }
    }

    @Test
    void a_held_job_that_cannot_be_let_go_is_tried_again_after_a_pause() throws Exception {
        AtomicInteger tried = new AtomicInteger();
        couch.faults().answer(1, request -> counts(request, "/_bulk_docs", tried), 500);
        couch.faults().answer(1_000, request -> request.path().endsWith("/_bulk_docs"), 403);
        long began = System.nanoTime();
        try (Dependencies held = TestDependencies.of(queue, NEVER, NEVER)) {
            held.start();
            until(() -> tried.get() >= 2);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofSeconds(2));
            couch.faults().clear();
            until(this::isLetGo);
        }
    }

    /** Never true: counts only. */
    private static boolean counts(Request request, String path, AtomicInteger count) {
        return request.path().endsWith(path) && count.incrementAndGet() < 0;
    }

    private boolean isLetGo() {
        return queue.get("email", "last").orElseThrow().after().isEmpty();
    }

    private static FeedNotice notice(String rev) {
        return new FeedNotice("job:email:last", List.of(rev), false, false);
    }

    @Test
    void one_that_was_over_before_the_feed_told_that_it_is_held_is_forgotten() throws Exception {
        ObjectNode held = queue.database().get("job:email:last").orElseThrow();
        queue.cancel("email", "last", CancelMode.IF_QUEUED);
        try (Dependencies dependencies = TestDependencies.of(queue, NEVER, NEVER)) {
            dependencies.changed(
                    new FeedEvent("job:email:last", held.path("_rev").asText(), false, held, false));
            until(() -> !dependencies.needsEach());
        }
    }
}

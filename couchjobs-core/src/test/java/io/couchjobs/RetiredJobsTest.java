package io.couchjobs;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.FinishedJobs;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.Worker;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens around a job in the moment in which retention deletes it. */
@ServerTest
@Timeout(60)
class RetiredJobsTest extends ProxiedQueue {

    @BeforeEach
    void prepare() {
        others.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        add();
    }

    @Test
    void a_follower_learns_how_its_job_ended_though_the_feed_tells_only_of_the_deletion() throws Exception {
        Held feed = holdFeed();
        Held read = proxy.holdAnswer(request -> request.toString().equals("GET /job:email:1"));
        CompletableFuture<Optional<Job>> awaited = CompletableFuture.supplyAsync(this::awaitFinished);
        read.awaitArrival(); // the job was there when it was read
        read.release();
        Subscription subscription = queue.subscribe("email", "1");
        feed.awaitArrival();
        finish();
        retire();

        feed.release();

        JobChange end = subscription.await(PATIENCE).orElseThrow();
        assertThat(end.phase()).isEqualTo(JobPhase.FINISHED);
        assertThat(end.job().flatMap(Job::result).orElseThrow().path("sent").asBoolean())
                .isTrue();
        assertThat(subscription.isClosed()).isTrue();
        assertThat(awaited.get().flatMap(Job::result)).isPresent();
    }

    @Test
    void after_a_compaction_it_is_still_known_that_it_succeeded() throws Exception {
        Held feed = holdFeed();
        Subscription subscription = queue.subscribe("email", "1");
        feed.awaitArrival();
        finish();
        try (Worker keepsTombstones =
                others.worker().handler("idle", (data, context) -> null).start()) {
            assertThat(TestQueue.gc(others).run().jobsDeletedInAll()).isEqualTo(1);

            feed.release();

            JobChange end = subscription.await(PATIENCE).orElseThrow();
            assertThat(end.job().orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(keepsTombstones.stats().running()).isZero();
        }
    }

    @Test
    void a_follower_of_a_job_that_somebody_removes_learns_only_of_the_removal() throws Exception {
        Held feed = holdFeed();
        Subscription subscription = queue.subscribe("email", "1");
        feed.awaitArrival();
        finish();
        others.remove("email", "1");

        feed.release();

        assertThat(subscription.await(PATIENCE).orElseThrow().phase()).isEqualTo(JobPhase.NOT_FOUND);
    }

    @Test
    void the_log_of_a_job_that_is_added_anew_in_the_moment_of_its_deletion_stays() throws Exception {
        finish();
        String id = "log:email:1:0000000000000001:00000001";
        CouchDatabase database = others.database();
        database.put(chunk(id, "of the old one"));
        Held deletion = proxy.holdAnswer(
                request -> request.isBulkWrite() && request.body().contains("removedBy"));

        CompletableFuture<GarbageCollection.Report> collection = CompletableFuture.supplyAsync(this::collect);
        deletion.awaitArrival();
        add();
        ObjectNode old = database.get(id).orElseThrow();
        database.put(chunk(id, "of the new one").put("_rev", old.path("_rev").asText()));
        deletion.release();

        assertThat(collection.get().jobsDeleted()).isEqualTo(Map.of("email", 1L));
        assertThat(others.get("email", "1")).isPresent();
        assertThat(others.logs().read("email", "1")).hasSize(1);
    }

    private void add() {
        others.add(JobRequest.builder("email").id("1").data(Map.of()).build());
    }

    private void finish() throws InterruptedException {
        others.accept(AcceptOptions.of("email")).get(0).finish(Map.of("sent", true));
    }

    /** As a sweep does. */
    private void retire() {
        FinishedJobs finished = new FinishedJobs(new JobIndex(new DesignDocuments(others.database())));
        Instant soon = Instant.now().plusSeconds(60);
        FinishedJobs.Range range = finished.expendable("email", JobStatus.SUCCESS, new Retention.Delete(), soon, soon)
                .orElseThrow();
        try (JobStore store = Stores.of(others.database())) {
            assertThat(store.retire(finished.page(range, null, 10))).isNotEmpty();
        }
        assertThat(others.get("email", "1")).isEmpty();
    }

    private Held holdFeed() {
        return proxy.holdRequest(request ->
                request.isFeed() && String.valueOf(request.uri().getQuery()).contains("continuous"));
    }

    private Optional<Job> awaitFinished() {
        try {
            return queue.awaitFinished("email", "1", PATIENCE);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private GarbageCollection.Report collect() {
        try {
            return TestQueue.gc(queue).run();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static ObjectNode chunk(String id, String text) {
        ObjectNode chunk = JsonNodeFactory.instance.objectNode().put("_id", id);
        chunk.putArray("lines").addObject().put("at", 1000).put("text", text);
        return chunk;
    }
}

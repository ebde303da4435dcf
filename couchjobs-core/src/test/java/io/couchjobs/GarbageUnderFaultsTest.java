package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import java.net.URI;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Collections on servers that do not do all that they are asked to. */
@Timeout(60)
class GarbageUnderFaultsTest extends FaultyServer {
    @BeforeEach
    void tenFinishedJobs() {
        queue.types().change("email", settings -> settings.withFailureRetention(new Retention.Delete()));
        for (int i = 0; i < 10; i++) {
            queue.add(JobRequest.builder("email").id("" + i).data(Map.of()).build());
            queue.cancel("email", "" + i, CancelMode.IF_QUEUED);
        }
    }

    @Test
    void a_server_that_takes_fewer_ids_at_a_time_gets_fewer() throws Exception {
        couch.faults().answer(3, request -> request.path().endsWith("/_purge"), 400);

        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isEqualTo(10);
        assertThat(queue.database().info().deletedDocCount()).isZero();
    }

    @Test
    void a_user_who_may_not_purge_and_compact_has_the_rest_done_and_is_told() throws Exception {
        couch.faults().answer(100, request -> request.path().matches(".*/(_purge|_compact.*|_view_cleanup)"), 403);

        GarbageCollection.Report report = TestQueue.gc(queue).run();

        assertThat(report.jobsDeleted()).isEqualTo(Map.of("email", 10L));
        assertThat(report.tombstonesPurged()).isZero();
        assertThat(report.problems()).hasSize(2);
        assertThat(report.problems().get(0))
                .startsWith("tombstones cannot be purged: that takes an administrator of the server (403 ");
        assertThat(report.problems().get(1)).startsWith("the database cannot be compacted: ");
    }

    @Test
    void a_server_that_knows_no_purge_has_the_rest_done() throws Exception {
        couch.faults().answer(100, request -> request.path().endsWith("/_purge"), 404);

        GarbageCollection.Report report = TestQueue.gc(queue).run();

        assertThat(report.jobsDeleted()).isEqualTo(Map.of("email", 10L));
        assertThat(report.problems())
                .singleElement()
                .asString()
                .startsWith("tombstones cannot be purged: this server does not know how, as CouchDB does (404 ");
    }

    @Test
    void a_deletion_whose_answer_is_lost_counts_as_what_it_was() throws Exception {
        couch.faults().loseAnswer(1, request -> request.path().endsWith("/_bulk_docs"));

        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(Map.of("email", 10L));
        assertThat(queue.all("email")).isEmpty();
    }

    @Test
    void an_index_that_takes_longer_than_a_request_may_is_waited_for() throws Exception {
        couch.faults().cut(4, request -> request.path().contains("/_view/"));

        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(Map.of("email", 10L));
    }

    @Test
    void a_dry_run_without_design_documents_stores_none_and_says_what_it_cannot_tell() throws Exception {
        CouchDatabase bare = queue.database().server().database("bare");
        bare.createIfMissing();
        ObjectNode dead = JsonNodeFactory.instance.objectNode().put("_id", "worker:dead");
        dead.put("pid", 1).put("beat", 1).put("at", 1).putArray("types");
        bare.put(dead);
        try (JobQueue other = JobQueue.builder(bare(couch))
                .renewLeases(false)
                .createIfMissing(false)
                .open()) {
            assertThat(TestQueue.gc(other).dryRun(true).run().problems())
                    .singleElement()
                    .asString()
                    .contains("design documents");
            assertThat(new DesignDocuments(other.database()).installed()).isEmpty();
        }
    }

    private static URI bare(EmbeddedCouch couch) {
        return URI.create(couch.url() + "bare");
    }

    @Test
    void a_server_that_fails_ends_the_collection_and_the_next_one_does_what_is_left() throws Exception {
        couch.faults().answer(1, request -> request.path().endsWith("/_purge"), 500);
        assertThatThrownBy(() -> TestQueue.gc(queue).run()).isInstanceOf(CouchException.class);

        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isEqualTo(10);
        assertThat(IntStream.range(0, 10))
                .allMatch(i -> queue.get("email", "" + i).isEmpty());
    }
}

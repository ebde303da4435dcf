package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.PretendedUser;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Data that is too large to be written with each transition of its job is attached to the document, and nobody notices. */
@ServerTest
class AttachedDataTest extends LargeDataQueue {
    @Test
    void large_data_is_written_once_however_often_its_job_is() throws Exception {
        queue.add(request("1", large('a')));
        assertThat(stored("1").has("data")).isFalse();
        JsonNode written = stub("1");

        ClaimedJob claim = claim();
        claim.update();
        claim.finish("done");

        assertThat(stored("1").path("_rev").asText()).startsWith("4-");
        assertThat(stub("1")).isEqualTo(written);
        assertThat(written.path("revpos").asInt())
                .as("the revision that wrote it")
                .isEqualTo(1);
        assertThat(written.path("stub").asBoolean()).isTrue();
        assertThat(read("1").data()).isEqualTo(large('a'));
    }

    @Test
    void the_limit_counts_bytes_of_json() throws Exception {
        queue.add(request("at", ofBytes(LIMIT)));
        queue.add(request("over", ofBytes(LIMIT + 1)));
        ObjectNode wide = object().put("x", "ä".repeat((LIMIT - 8) / 2));
        assertThat(wide.toString().getBytes(StandardCharsets.UTF_8)).hasSize(LIMIT);
        queue.add(request("wide", wide));
        queue.add(request("wider", object().put("x", "ä".repeat(LIMIT / 2))));

        assertThat(stored("at").path("data")).isEqualTo(ofBytes(LIMIT));
        assertThat(stored("at").has("_attachments")).isFalse();
        assertThat(stored("at").has("dataDigest")).isFalse();
        assertThat(stored("wide").path("data")).isEqualTo(wide);
        assertThat(stored("over").has("data")).isFalse();
        assertThat(stored("wider").has("data")).isFalse();
        assertThat(stub("over").path("length").asInt()).isEqualTo(LIMIT + 1);
        assertThat(stub("over").path("content_type").asText())
                .as("what servers do not compress")
                .isEqualTo("application/octet-stream");
    }

    @Test
    void nothing_is_attached_where_that_is_switched_off() {
        try (JobQueue without =
                TestQueue.builder(database).largestInlineData(Integer.MAX_VALUE).open()) {
            ObjectNode huge = object().put("x", "y".repeat(200_000));
            without.add(request("1", huge));
            assertThat(stored("1").path("data")).isEqualTo(huge);
        }
    }

    @Test
    void a_replacement_of_data_replaces_the_attached_data_and_no_other_attachment() throws Exception {
        queue.add(request("1", large('a')));
        attachPicture("1");
        ClaimedJob claim = claim();

        claim.update(large('b'));
        assertThat(claim.data()).isEqualTo(large('b'));
        assertThat(read("1").data()).isEqualTo(large('b'));
        JsonNode written = stub("1");
        assertThat(written.path("revpos").asInt()).as("written by the update").isGreaterThanOrEqualTo(4);
        claim.update();
        assertThat(stub("1")).as("not written again").isEqualTo(written);
        claim.update(small());
        assertThat(stored("1").path("data")).isEqualTo(small());
        assertThat(stored("1").has("dataDigest")).isFalse();
        assertThat(stored("1").path("_attachments").properties())
                .extracting(Map.Entry::getKey)
                .containsExactly("picture.png");
        claim.finishAndReplaceData(large('c'), null);
        assertThat(read("1").data()).isEqualTo(large('c'));
        assertThat(stored("1").at("/_attachments/picture.png/revpos").asInt()).isEqualTo(2);
    }

    @Test
    void the_same_data_again_is_not_written_again() throws Exception {
        queue.add(request("1", large('a')));
        claim().finish();
        assertThat(queue.add(request("1", large('a'))).outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(stub("1").path("revpos").asInt()).isEqualTo(1);
        assertThat(claim().data()).isEqualTo(large('a'));
    }

    @Test
    void a_job_that_runs_again_has_its_data_or_new_data() throws Exception {
        queue.add(request("1", large('a')));
        ClaimedJob first = claim();
        first.finish();
        queue.resubmit("email", "1");
        assertThat(claim().data()).isEqualTo(large('a'));

        queue.remove("email", "1");
        queue.add(request("1", large('b')));
        ClaimedJob again = claim();
        assertThat(again.data()).isEqualTo(large('b'));
        again.finish();
        queue.resubmit("email", "1", Instant.EPOCH, large('c'));
        ClaimedJob third = claim();
        assertThat(third.data()).isEqualTo(large('c'));
        third.finish();
        third.resubmit(Instant.EPOCH, large('d'));
        assertThat(read("1").data()).isEqualTo(large('d'));
    }

    @Test
    void large_data_that_others_wrote_into_the_document_stays_there_until_it_is_changed() throws Exception {
        ObjectNode others = object();
        others.put("_id", new JobId("email", "1").docId()).set("data", large('a'));
        queue.database().put(others);

        ClaimedJob claim = claim();
        claim.update();
        assertThat(claim.data()).isEqualTo(large('a'));
        assertThat(stored("1").path("data")).isEqualTo(large('a'));
        claim.update(large('b'));
        assertThat(stored("1").has("data")).isFalse();
        assertThat(read("1").data()).isEqualTo(large('b'));
    }

    @Test
    void data_that_others_wrote_into_the_document_counts_whatever_is_attached() throws Exception {
        queue.add(request("1", large('a')));
        ObjectNode others = stored("1");
        others.set("data", small());
        queue.database().put(others);
        assertThat(claim().data()).isEqualTo(small());
    }

    @Test
    @NeedsOneCopy("a write whose answer was lost is confirmed by a second one")
    void writes_whose_answers_are_lost_are_found_in_place() throws Exception {
        Lost add = proxy.loseAnswers(1, Proxy.Request::isBulkWrite);
        assertThat(queue.add(request("1", large('a'))).outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(add.count()).isEqualTo(1);
        assertThat(stored("1").path("_rev").asText()).startsWith("1-");

        ClaimedJob claim = claim();
        Lost update = proxy.loseAnswers(1, Proxy.Request::isBulkWrite);
        claim.update(large('b'));
        assertThat(update.count()).isEqualTo(1);
        assertThat(stored("1").path("_rev").asText()).startsWith("3-");
        claim.finishAndReplaceData(large('c'), null);
        assertThat(read("1").data()).isEqualTo(large('c'));
        assertThat(read("1").status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void an_add_of_other_data_at_the_same_time_is_not_taken_for_the_own_add() {
        JobRequest mine = request("1", large('a'));
        Lost lost = proxy.loseRequests(1, request -> {
            if (!request.isBulkWrite()) {
                return false;
            }
            // Somebody else is faster, and says the same but for the data.
            ObjectNode theirs = first(request.body());
            try (JobQueue other = TestQueue.builder(database)
                    .largestInlineData(LIMIT)
                    .clock(() ->
                            Instant.ofEpochMilli(theirs.at("/times/created").asLong()))
                    .open()) {
                other.insert(request("1", large('b')));
            }
            return true;
        });
        AddResult result = queue.add(mine);
        assertThat(lost.count()).isEqualTo(1);
        assertThat(result.outcome()).isEqualTo(AddResult.Outcome.UNCHANGED);
        assertThat(read("1").data()).isEqualTo(large('b'));
    }

    @Test
    @NeedsOneCopy("what only some copies of a batch store is not confirmed")
    void one_write_with_a_stub_of_nothing_does_not_keep_the_others_from_being_stored() {
        ObjectNode wrong = object();
        wrong.put("_id", "job:email:1").put("dataDigest", "sha-256=x");
        wrong.withObject("/_attachments/data.json")
                .put("stub", true)
                .put("revpos", 1)
                .put("digest", "md5-AAAAAAAAAAAAAAAAAAAAAA==");
        ObjectNode right = object().put("_id", "job:email:2");
        try (JobStore store = Stores.of(queue.database())) {
            List<WriteResult> written = store.writer().writeAll(List.of(Job.parse(wrong), Job.parse(right)));
            assertThat(written.get(0)).isInstanceOf(WriteResult.Refused.class);
            assertThat(written.get(1)).isInstanceOf(WriteResult.Stored.class);
        }
        assertThat(queue.database().put(wrong)).isInstanceOf(WriteResult.Refused.class);
    }

    @Test
    void the_leaf_that_wins_has_the_data_that_is_attached_to_it() throws Exception {
        Replicated.into(
                database,
                attached(Replicated.leaf(2, 'a', Replicated.owned("w1", "t1", 1)), large('a')),
                attached(Replicated.leaf(3, 'b', Replicated.withdrawn("w2", "t2", 1)), large('b')));
        assertThat(queue.operations().resolve("job:email:1")).isTrue();
        Job winner = read("1");
        assertThat(winner.isLockedBy("t1")).isTrue();
        assertThat(winner.data()).isEqualTo(large('a'));
    }

    @Test
    void a_leaf_that_is_written_to_resolve_a_conflict_keeps_its_data() throws Exception {
        Replicated.into(
                database,
                attached(Replicated.leaf(3, 'a', Replicated.withdrawn("w1", "t1", 1)), large('a')),
                attached(Replicated.leaf(3, 'b', Replicated.withdrawn("w2", "t2", 1)), large('b')));
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> data.path("x").asText())
                .start()) {
            Job done = TestQueue.finished(queue, "email", "1");
            assertThat(done.result().orElseThrow().asText())
                    .isEqualTo(large('b').path("x").asText());
            assertThat(worker.stats().claimed()).isEqualTo(1);
        }
    }

    @Test
    void the_guard_lets_workers_and_producers_do_with_large_data_what_they_may() throws Exception {
        PretendedUser.everybodyWorks(queue.database());
        queue.add(request("1", large('a')));
        ClaimedJob claim = claim();
        claim.update(large('b'));
        claim.finishAndReplaceData(large('c'), null);
        queue.resubmit("email", "1", Instant.EPOCH, large('d'));
        queue.add(JobRequest.builder("email")
                .id("1")
                .data(small())
                .scheduledTime(Jobs.past(5))
                .build());
        assertThat(read("1").data()).isEqualTo(small());
    }
}

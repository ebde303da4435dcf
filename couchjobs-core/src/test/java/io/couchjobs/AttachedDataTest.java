package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.PretendedUser;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobState;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Subscription;
import io.couchjobs.job.UnreadableDataException;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Data that is too large to be written with each transition of its job is attached to the document, and nobody notices. */
@ServerTest
class AttachedDataTest {
    /** So many bytes of JSON stay in the document here. */
    private static final int LIMIT = 100;

    private TestDatabase database;
    private Proxy proxy;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase own) {
        database = own;
        proxy = Proxy.before(own.server());
        queue = TestQueue.builder(proxy.door(own)).largestInlineData(LIMIT).open();
    }

    @AfterEach
    void close() {
        queue.close();
        proxy.close();
    }

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
    void handlers_see_large_data_as_any_other() throws Exception {
        List<ObjectNode> seen = new CopyOnWriteArrayList<>();
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    seen.add(data);
                    return null;
                })
                .start()) {
            queue.add(request("1", large('ä')));
            queue.add(request("2", small()));
            TestQueue.finished(queue, "email", "1");
            TestQueue.finished(queue, "email", "2");
            assertThat(worker.stats().claimed()).isEqualTo(2);
        }
        assertThat(seen).containsExactlyInAnyOrder(large('ä'), small());
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
    void who_replaces_data_replaces_what_is_attached_and_nothing_else_that_is() throws Exception {
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
        claim.finish(null, large('c'));
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
    void whoever_gets_a_job_gets_its_data() throws Exception {
        AddResult added = queue.add(request("1", large('a')));
        assertThat(added.job().orElseThrow().data()).isEqualTo(large('a'));
        assertThat(queue.data("email", "1")).contains(large('a'));
        assertThat(data(queue.reschedule("email", "1", Jobs.past(7)))).isEqualTo(large('a'));
        assertThat(data(queue.list(JobFilter.all(), 10))).containsExactly(large('a'));
        assertThat(data(queue.all("email").toList())).containsExactly(large('a'));
        assertThat(data(queue.page(JobFilter.all(), null, 10).jobs())).containsExactly(large('a'));
        List<Job> heard = new CopyOnWriteArrayList<>();
        queue.operations().listen(event -> event.job().ifPresent(heard::add));
        Subscription subscription = queue.subscribe("email", "1");
        assertThat(subscription.data()).contains(large('a'));
        ClaimedJob claim = claim();
        assertThat(subscription
                        .await(JobState.RUNNING, TestQueue.PATIENCE)
                        .flatMap(JobChange::job)
                        .map(this::data))
                .contains(large('a'));
        claim.update(large('b'));
        assertThat(subscription
                        .await(JobState.RUNNING, TestQueue.PATIENCE)
                        .flatMap(JobChange::job)
                        .map(this::data))
                .as("new data is news")
                .contains(large('b'));
        claim.finish();
        assertThat(queue.awaitFinished("email", "1", TestQueue.PATIENCE).map(this::data))
                .contains(large('b'));
        TestQueue.until(() -> data(heard).contains(large('b')));
    }

    @Test
    void asking_a_job_for_its_data_sends_no_request_and_names_the_call_that_does() throws Exception {
        queue.add(request("1", large('a')));
        Reads reads = new Reads();
        proxy.detour(reads);
        List<Job> unread = new ArrayList<>(queue.list(JobFilter.all(), 10));
        unread.addAll(queue.all("email").toList());
        unread.add(queue.reschedule("email", "1", Jobs.past(7)));
        unread.add(Job.parse(stored("1")));
        ClaimedJob claim = claim();
        unread.add(claim.job());
        unread.add(claim.update());
        assertThat(unread).hasSize(6).allSatisfy(job -> {
            assertThat(job.hasAttachedData()).isTrue();
            assertThatThrownBy(job::data)
                    .isInstanceOf(UnreadableDataException.class)
                    .hasMessageContaining("email:1")
                    .hasMessageContaining("withData(job)");
        });
        assertThat(queue.state("email", "1")).isEqualTo(JobState.RUNNING);
        assertThat(reads.all).isEmpty();
        Job read = read("1");
        assertThat(reads.all).hasSize(1);
        assertThat(queue.withData(read).data()).isEqualTo(large('a'));
        assertThat(read.withRev("9-x")
                        .with("group", read.document().path("_id"))
                        .data())
                .isEqualTo(large('a'));
        assertThat(reads.all).as("read once").hasSize(1);
    }

    @Test
    void a_filter_sees_that_data_is_attached_and_asking_for_it_has_said_no() throws Exception {
        queue.add(request("1", large('a')));
        queue.add(request("2", large('b')));
        queue.add(request("3", small()));
        Reads reads = new Reads();
        proxy.detour(reads);
        try (Worker worker = queue.worker()
                .filter(job -> job.id().id().equals("2")
                        ? job.hasAttachedData()
                        : job.data().has("n"))
                .handler("email", (data, context) -> null)
                .start()) {
            TestQueue.finished(queue, "email", "2");
            TestQueue.finished(queue, "email", "3");
            assertThat(worker.stats().claimed()).isEqualTo(2);
        }
        assertThat(reads.all).as("the data of the job that ran").hasSize(1);
        assertThat(queue.state("email", "1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void a_claim_reads_its_data_once_and_a_list_all_data_together_and_only_if_somebody_asks() throws Exception {
        List<JobRequest> requests = new ArrayList<>();
        IntStream.range(0, 20).forEach(i -> requests.add(request("" + i, large((char) ('a' + i)))));
        queue.addAll(requests);
        Reads reads = new Reads();
        proxy.detour(reads);

        List<ClaimedJob> claims = queue.accept(AcceptOptions.of("email").max(20).timeout(Duration.ZERO));
        assertThat(claims).hasSize(20);
        claims.forEach(ClaimedJob::update);
        assertThat(queue.list(JobFilter.all(), 50)).extracting(Job::attempt).containsOnly(1);
        assertThat(reads.all).isEmpty();

        claims.forEach(claim -> assertThat(claim.data())
                .isEqualTo(large((char) ('a' + Integer.parseInt(claim.id().id())))));
        assertThat(reads.all).hasSize(20);
        claims.forEach(claim -> assertThat(claim.update().data()).isEqualTo(claim.data()));
        assertThat(reads.all).hasSize(20);
        assertThat(data(queue.list(JobFilter.all(), 50)))
                .hasSize(20)
                .allSatisfy(data -> assertThat(data.path("x").asText()).hasSize(LIMIT));
        assertThat(reads.all).hasSize(21);
    }

    @Test
    void a_claim_that_writes_on_the_revision_of_another_writer_has_its_data_still() throws Exception {
        queue.add(request("1", large('a')));
        ClaimedJob claim = claim();
        assertThat(claim.data()).isEqualTo(large('a'));
        Reads reads = new Reads();
        proxy.detour(reads);
        queue.cancel("email", "1", CancelMode.REQUEST);
        assertThat(claim.update().isCancelRequested()).isTrue();
        assertThat(claim.job().data()).isEqualTo(large('a'));
        assertThat(reads.all).isEmpty();
    }

    @Test
    void small_data_costs_no_request() throws Exception {
        Reads reads = new Reads();
        proxy.detour(reads);
        queue.add(request("1", small()));
        assertThat(claim().data()).isEqualTo(small());
        assertThat(read("1").data()).isEqualTo(small());
        assertThat(reads.all).isEmpty();
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
    void lost_data_is_trouble_that_names_the_job_and_never_no_data() throws Exception {
        queue.add(request("1", large('a')));
        ObjectNode careless = stored("1");
        careless.remove("_attachments");
        queue.database().put(careless);

        Job job = read("1");
        assertThatThrownBy(job::data)
                .isInstanceOf(UnreadableDataException.class)
                .hasMessageContaining("email:1")
                .hasMessageContaining("data.json");
        assertThat(queue.list(JobFilter.all(), 10)).extracting(Job::id).containsExactly(job.id());
        queue.types()
                .change(
                        "email",
                        type -> type.withRetryPolicy(new RetryPolicy(0, Duration.ofMillis(1), Duration.ofMillis(1))));
        try (Worker worker =
                queue.worker().handler("email", (data, context) -> null).start()) {
            Job failed = TestQueue.finished(queue, "email", "1");
            assertThat(failed.status()).isEqualTo(JobStatus.FAILED);
            assertThat(failed.errors().get(0).message()).contains("email:1").contains("data.json");
            assertThat(worker.stats().claimed()).isEqualTo(1);
        }
    }

    @Test
    void another_attachment_in_the_place_of_the_data_is_noticed() {
        queue.add(request("1", large('a')));
        ObjectNode changed = stored("1");
        String other = Base64.getEncoder().encodeToString(large('b').toString().getBytes(StandardCharsets.UTF_8));
        changed.withObject("/_attachments/data.json")
                .removeAll()
                .put("content_type", "text/plain")
                .put("data", other);
        queue.database().put(changed);
        assertThatThrownBy(() -> read("1").data())
                .isInstanceOf(UnreadableDataException.class)
                .hasMessageContaining("email:1");
    }

    @Test
    void a_job_that_was_read_before_its_data_was_replaced_does_not_take_the_new_for_the_old() throws Exception {
        queue.add(request("1", large('a')));
        Job before = listed();
        queue.replaceAll(List.of(request("1", large('b'))));
        queue.database().compact();
        TestQueue.until(() -> !queue.database().isCompacting());
        try {
            assertThat(data(before)).isEqualTo(large('a'));
        } catch (UnreadableDataException compactedAway) {
            assertThat(compactedAway).hasMessageContaining("email:1");
        }
    }

    @Test
    void a_job_that_was_written_on_since_it_was_read_has_its_data_still() throws Exception {
        queue.add(request("1", large('a')));
        Job before = listed();
        queue.setPriority("email", "1", 99);
        queue.database().compact();
        TestQueue.until(() -> !queue.database().isCompacting());
        assertThat(data(before)).isEqualTo(large('a'));
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void a_copy_of_jobs_has_their_data() {
        queue.add(request("1", large('a')));
        List<Job> copies =
                queue.withData(queue.all("email")).map(Job::withInlineData).toList();
        assertThat(copies.get(0).toDocument().path("data")).isEqualTo(large('a'));
        assertThat(copies.get(0).toDocument().has("dataDigest")).isFalse();
        queue.remove("email", "1");

        assertThat(queue.operations().restore(copies))
                .extracting(AddResult::outcome)
                .containsExactly(AddResult.Outcome.ADDED);

        assertThat(stored("1").has("data")).isFalse();
        assertThat(read("1").data()).isEqualTo(large('a'));
    }

    @Test
    void jobs_are_restored_with_the_data_that_was_read_and_rejected_without_it() throws Exception {
        try (JobQueue other = TestQueue.builder(new TestDatabase(database.server(), database.name() + "-copy"))
                .largestInlineData(Integer.MAX_VALUE)
                .open()) {
            queue.add(request("1", large('a')));
            List<Job> listed = new ArrayList<>();
            TestQueue.until(() -> listed.addAll(queue.all("email").toList()));
            assertThat(other.operations().restore(listed))
                    .extracting(AddResult::outcome)
                    .containsExactly(AddResult.Outcome.REJECTED);
            other.operations().restore(queue.withData(listed.stream()).toList());
            Job copy = other.get("email", "1").orElseThrow();
            assertThat(copy.toDocument().path("data")).isEqualTo(large('a'));
            other.database().delete();
        }
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
        claim.finish(null, large('c'));
        assertThat(read("1").data()).isEqualTo(large('c'));
        assertThat(read("1").status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void who_wrote_other_data_at_the_same_time_is_not_taken_for_oneself() {
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
        try (JobStore store = new JobStore(queue.database())) {
            List<WriteResult> written = store.writeAll(List.of(Job.parse(wrong), Job.parse(right)));
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
        claim.finish(null, large('c'));
        queue.resubmit("email", "1", Instant.EPOCH, large('d'));
        queue.add(JobRequest.builder("email")
                .id("1")
                .data(small())
                .scheduledTime(Jobs.past(5))
                .build());
        assertThat(read("1").data()).isEqualTo(small());
    }

    private ClaimedJob claim() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }

    private ObjectNode data(Job job) {
        return queue.withData(job).data();
    }

    private List<ObjectNode> data(List<Job> jobs) {
        return queue.withData(jobs.stream()).map(Job::data).toList();
    }

    /** The only job, without its data. */
    private Job listed() {
        return queue.list(JobFilter.all(), 10).get(0);
    }

    private Job read(String id) {
        return queue.get("email", id).orElseThrow();
    }

    private ObjectNode stored(String id) {
        return queue.database().get(new JobId("email", id).docId()).orElseThrow();
    }

    private JsonNode stub(String id) {
        return stored(id).at("/_attachments/data.json");
    }

    private void attachPicture(String id) {
        ObjectNode document = stored(id);
        document.withObject("/_attachments/picture.png")
                .put("content_type", "image/png")
                .put("data", "aGVsbG8=");
        queue.database().put(document);
    }

    /** A leaf as it is when couchjobs wrote it with that data. */
    private ObjectNode attached(String leaf, ObjectNode data) {
        ObjectNode document = Jobs.json(leaf);
        document.set("data", data);
        ObjectNode written = AttachedData.attach(Job.parse(withoutHistory(document)), Optional.empty(), LIMIT)
                .toDocument();
        written.set("_revisions", document.get("_revisions"));
        return written;
    }

    private static ObjectNode withoutHistory(ObjectNode document) {
        ObjectNode copy = document.deepCopy();
        copy.remove("_revisions");
        return copy;
    }

    private static JobRequest request(String id, ObjectNode data) {
        return JobRequest.builder("email").id(id).data(data).build();
    }

    private static ObjectNode large(char c) {
        return object().put("x", String.valueOf(c).repeat(LIMIT));
    }

    private static ObjectNode small() {
        return object().put("n", 1);
    }

    private static ObjectNode ofBytes(int bytes) {
        ObjectNode data = object().put("x", "y".repeat(bytes - "{\"x\":\"\"}".length()));
        assertThat(data.toString()).hasSize(bytes);
        return data;
    }

    private static ObjectNode first(String bulk) {
        return (ObjectNode) Jobs.json(bulk).at("/docs/0");
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** The requests that read what is attached. */
    private static final class Reads implements Proxy.Detour {
        private final List<Proxy.Request> all = new CopyOnWriteArrayList<>();

        @Override
        public boolean goes(Proxy.Request request) {
            boolean reads = String.valueOf(request.uri().getQuery()).contains("attachments=true")
                    || request.uri().getPath().endsWith("/data.json");
            if (reads) {
                all.add(request);
            }
            return true;
        }
    }
}

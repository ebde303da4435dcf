package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Subscription;
import io.couchjobs.job.UnreadableDataException;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which calls read the data that is attached to jobs, and how often. */
@ServerTest
class ReadingAttachedDataTest extends LargeDataQueue {
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
    void each_way_to_get_a_job_gives_its_data() throws Exception {
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
                        .await(JobPhase.RUNNING, TestQueue.PATIENCE)
                        .flatMap(JobChange::job)
                        .map(this::data))
                .contains(large('a'));
        claim.update(large('b'));
        assertThat(subscription
                        .await(JobPhase.RUNNING, TestQueue.PATIENCE)
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
    void the_time_limit_of_a_handler_is_not_used_up_by_a_database_that_is_slow_to_give_the_data() throws Exception {
        queue.add(request("1", large('a')));
        CountDownLatch never = new CountDownLatch(1);
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean returns(Proxy.Request request) throws InterruptedException {
                return !Reads.isOne(request) || !never.await(1500, TimeUnit.MILLISECONDS);
            }
        });
        try (Worker worker = queue.worker()
                .timeLimit(Duration.ofSeconds(1))
                .handler("email", (data, context) -> never.await(1, TimeUnit.MILLISECONDS))
                .start()) {
            assertThat(TestQueue.finished(queue, "email", "1").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.stats().failed()).isZero();
        }
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
        assertThat(queue.phase("email", "1")).isEqualTo(JobPhase.RUNNING);
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
        assertThat(queue.phase("email", "1")).isEqualTo(JobPhase.PENDING);
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
            assertThat(other.operations().restore(List.of(listed.get(0), listed.get(0))))
                    .extracting(AddResult::outcome)
                    .containsExactly(AddResult.Outcome.REJECTED, AddResult.Outcome.REJECTED);
            other.operations().restore(queue.withData(listed.stream()).toList());
            Job copy = other.get("email", "1").orElseThrow();
            assertThat(copy.toDocument().path("data")).isEqualTo(large('a'));
            other.database().delete();
        }
    }
}

package io.couchjobs;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SPEC: subscriptions. */
@ServerTest
class SubscribingTest {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private JobQueue queue;
    private JobQueue others;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        others = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        queue.close();
        others.close();
    }

    @Test
    void a_subscription_begins_with_the_state_and_the_data() {
        add("1", Map.of("n", 1));
        try (Subscription subscription = queue.subscribe("email", "1")) {
            assertThat(subscription.id()).isEqualTo(new JobId("email", "1"));
            assertThat(subscription.phase()).isEqualTo(JobPhase.PENDING);
            assertThat(subscription.data().orElseThrow().path("n").asInt()).isEqualTo(1);
            assertThat(subscription.isClosed()).isFalse();
        }
    }

    @Test
    void a_caller_waits_until_the_data_is_as_wanted() throws Exception {
        add("1", Map.of("seq", 0));
        try (Subscription subscription = queue.subscribe("email", "1")) {
            assertThat(subscription.await(job -> job.data().path("seq").asInt() == 0, Duration.ZERO))
                    .as("it is so already")
                    .isPresent();
            ClaimedJob claim = claim();
            for (int seq = 1; seq <= 5; seq++) {
                claim.update(Map.of("seq", seq));
            }
            assertThat(subscription.await(job -> job.data().path("seq").asInt() >= 5, TestQueue.PATIENCE))
                    .isPresent();
            claim.finish();
            assertThat(subscription.await(job -> job.data().path("seq").asInt() >= 6, TestQueue.PATIENCE))
                    .as("it has ended without being so")
                    .isEmpty();
        }
    }

    @Test
    void the_changes_of_a_job_are_a_stream_that_ends_with_the_job() throws Exception {
        add("1", Map.of());
        try (Subscription subscription = queue.subscribe("email", "1")) {
            CompletableFuture<List<JobPhase>> phases = CompletableFuture.supplyAsync(() ->
                    subscription.changes().map(JobChange::phase).distinct().toList());
            claim().finish();
            assertThat(phases.get(1, TimeUnit.MINUTES)).endsWith(JobPhase.FINISHED);
            assertThat(subscription.changes()).isEmpty();
        }
    }

    @Test
    void a_stream_of_changes_that_nobody_reads_takes_none_and_waits_for_none() throws Exception {
        add("1", Map.of());
        try (Subscription subscription = queue.subscribe("email", "1")) {
            Stream<JobChange> unread =
                    CompletableFuture.supplyAsync(subscription::changes).get(1, TimeUnit.MINUTES);
            claim().finish();
            TestQueue.until(() -> subscription
                    .await(Duration.ZERO)
                    .filter(change -> change.phase() == JobPhase.FINISHED)
                    .isPresent());
            assertThat(unread).isEmpty();
        }
    }

    @Test
    void nobody_can_subscribe_to_a_job_that_is_not_there() {
        assertThatThrownBy(() -> queue.subscribe("email", "1")).isInstanceOf(NotFoundException.class);
        add("1", Map.of());
        queue.remove("email", "1");
        assertThatThrownBy(() -> queue.subscribe("email", "1")).isInstanceOf(NotFoundException.class);
        add("1", Map.of());
        assertThat(queue.subscribe("email", "1").phase()).isEqualTo(JobPhase.PENDING);
    }

    @Test
    void a_subscription_to_a_finished_job_is_closed_from_the_beginning() throws Exception {
        add("1", Map.of());
        claim().finishAndReplaceData(Map.of("n", 2), null);

        Subscription subscription = queue.subscribe("email", "1");

        assertThat(subscription.isClosed()).isTrue();
        assertThat(subscription.phase()).isEqualTo(JobPhase.FINISHED);
        assertThat(subscription.data().orElseThrow().path("n").asInt()).isEqualTo(2);
        assertThat(subscription.await(FOR_EVER)).isEmpty();
        assertThat(subscription.ended().get(30, TimeUnit.SECONDS).phase()).isEqualTo(JobPhase.FINISHED);
    }

    @Test
    void the_same_subscriber_has_the_same_subscription_as_long_as_it_is_open() throws Exception {
        add("1", Map.of());
        add("2", Map.of());
        Subscription first = queue.subscribe("email", "1");

        assertThat(queue.subscribe("email", "1")).isSameAs(first);
        assertThat(queue.subscribe("email", "2")).isNotSameAs(first);
        assertThat(queue.subscribe("email", "1", "somebody else")).isNotSameAs(first);
        assertThat(CompletableFuture.supplyAsync(() -> queue.subscribe("email", "1"))
                        .get())
                .isNotSameAs(first);
        assertThat(queue.subscribe(List.of(new JobId("email", "1"))))
                .containsOnly(Map.entry(new JobId("email", "1"), first));
        first.close();
        assertThat(queue.subscribe("email", "1")).isNotSameAs(first);
    }

    @Test
    void a_job_is_told_from_its_claim_to_its_end() throws Exception {
        add("1", Map.of("n", 1));
        Subscription subscription = queue.subscribe("email", "1");
        ClaimedJob claimed = claim();
        assertThat(next(subscription).phase()).isEqualTo(JobPhase.RUNNING);

        claimed.update(Map.of("n", 2));
        JobChange updated = next(subscription);
        claimed.finishAndReplaceData(Map.of("n", 3), "sent");
        JobChange finished = next(subscription);

        assertThat(updated.phase()).isEqualTo(JobPhase.RUNNING);
        assertThat(updated.data().orElseThrow().path("n").asInt()).isEqualTo(2);
        assertThat(finished.phase()).isEqualTo(JobPhase.FINISHED);
        assertThat(finished.job().orElseThrow().result().orElseThrow().asText()).isEqualTo("sent");
        assertThat(subscription.phase()).isEqualTo(JobPhase.FINISHED);
        assertThat(subscription.isClosed()).isTrue();
        assertThat(subscription.await(FOR_EVER)).isEmpty();
    }

    @Test
    void a_change_that_means_nothing_to_a_subscriber_is_no_event() throws Exception {
        add("1", Map.of("n", 1));
        Subscription subscription = queue.subscribe("email", "1");
        others.add(JobRequest.builder("email")
                .id("1")
                .data(Map.of("n", 2))
                .scheduledTime(Instant.now().minusSeconds(1))
                .build());
        others.setPriority("email", "1", 75);
        ClaimedJob claimed = claim();
        assertThat(next(subscription).phase()).isEqualTo(JobPhase.RUNNING);

        claimed.update();
        others.resubmit("email", "1", Instant.EPOCH);
        others.cancel("email", "1", io.couchjobs.job.CancelMode.REQUEST);
        claimed.update();
        others.remove("email", "1");

        assertThat(next(subscription).phase()).isEqualTo(JobPhase.NOT_FOUND);
        assertThat(subscription.isClosed()).isTrue();
    }

    @Test
    void another_run_is_an_event() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        ClaimedJob first = claim();
        assertThat(next(subscription).phase()).isEqualTo(JobPhase.RUNNING);

        first.release();
        long fence = claim().fence();

        JobChange event = next(subscription);
        if (event.phase() == JobPhase.PENDING) {
            event = next(subscription); // the claim took longer than a burst may
        }
        assertThat(event.phase()).isEqualTo(JobPhase.RUNNING);
        assertThat(event.job().orElseThrow().fence()).isEqualTo(fence).isGreaterThan(first.fence());
    }

    @Test
    void the_removal_of_a_job_is_its_last_event() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        CompletableFuture<JobChange> ended = subscription.ended();

        others.remove("email", "1");
        assertThat(next(subscription).phase()).isEqualTo(JobPhase.NOT_FOUND);
        others.add(JobRequest.builder("email").id("1").data(Map.of()).build());

        assertThat(subscription.job()).isEmpty();
        assertThat(subscription.isClosed()).isTrue();
        assertThat(ended.get(30, TimeUnit.SECONDS).phase()).isEqualTo(JobPhase.NOT_FOUND);
        assertThat(queue.subscribe("email", "1").phase()).isEqualTo(JobPhase.PENDING);
    }

    @Test
    void awaiting_a_state_drops_the_events_before_it() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        ClaimedJob claimed = claim();
        claimed.update(Map.of("n", 2));
        claimed.finish();

        assertThat(subscription.await(JobPhase.FINISHED, PATIENCE).orElseThrow().phase())
                .isEqualTo(JobPhase.FINISHED);
        assertThat(subscription.isClosed()).isTrue();
    }

    @Test
    void awaiting_a_state_that_does_not_come_ends_with_the_job() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        claim().finish();

        assertThat(subscription.await(JobPhase.NOT_FOUND, FOR_EVER)).isEmpty();
    }

    @Test
    void the_first_event_of_many_subscriptions_is_awaited_and_the_others_are_kept() throws Exception {
        List<Subscription> all = IntStream.range(0, 3)
                .mapToObj(i -> {
                    add("" + i, Map.of());
                    return queue.subscribe("email", "" + i);
                })
                .toList();
        others.remove("email", "1");

        JobChange first = queue.await(all, FOR_EVER).orElseThrow();
        others.remove("email", "2");
        others.remove("email", "0");

        assertThat(first.id().id()).isEqualTo("1");
        assertThat(next(all.get(0)).phase()).isEqualTo(JobPhase.NOT_FOUND);
        assertThat(next(all.get(2)).phase()).isEqualTo(JobPhase.NOT_FOUND);
        assertThat(queue.await(all, FOR_EVER)).isEmpty();
        assertThat(queue.await(List.of(), FOR_EVER)).isEmpty();
    }

    @Test
    void waiting_ends_at_its_deadline() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        long begun = System.nanoTime();

        assertThat(subscription.await(Duration.ofMillis(100))).isEmpty();
        assertThat(subscription.await(JobPhase.FINISHED, Duration.ofMillis(100)))
                .isEmpty();
        assertThat(subscription.await(Duration.ZERO)).isEmpty();
        assertThat(subscription.await(Duration.ofSeconds(Long.MIN_VALUE))).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
        assertThat(subscription.isClosed()).isFalse();
    }

    @Test
    void events_do_not_put_off_the_deadline() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        ClaimedJob claimed = claim();
        CompletableFuture<Optional<JobChange>> waiting = CompletableFuture.supplyAsync(
                () -> uninterrupted(() -> subscription.await(JobPhase.FINISHED, Duration.ofMillis(500))));
        for (int n = 0; !waiting.isDone(); n++) {
            claimed.update(Map.of("n", n)); // goes on for ever if the deadline is put off
        }
        assertThat(waiting.get()).isEmpty();
    }

    @Test
    void closing_wakes_who_waits_and_discards_what_is_queued() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        CompletableFuture<JobChange> ended = subscription.ended();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Optional<JobChange>> waiting = CompletableFuture.supplyAsync(() -> {
            begun.countDown();
            return uninterrupted(() -> subscription.await(FOR_EVER));
        });
        begun.await();

        subscription.close();

        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
        assertThatThrownBy(() -> ended.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThat(subscription.isClosed()).isTrue();
        Subscription second = queue.subscribe("email", "1");
        Subscription witness = queue.subscribe("email", "1", "witness");
        others.remove("email", "1");
        next(witness);
        second.close();
        assertThat(second.await(FOR_EVER)).isEmpty();
        second.close();
    }

    @Test
    void closing_the_queue_wakes_who_waits() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        CompletableFuture<Optional<JobChange>> waiting =
                CompletableFuture.supplyAsync(() -> uninterrupted(() -> subscription.await(FOR_EVER)));

        queue.close();

        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
        assertThat(subscription.isClosed()).isTrue();
    }

    @Test
    void an_interrupt_ends_the_waiting_and_loses_no_event() throws Exception {
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        others.remove("email", "1");
        TestQueue.until(subscription.ended()::isDone);

        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> subscription.await(FOR_EVER)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(next(subscription).phase()).isEqualTo(JobPhase.NOT_FOUND);
    }

    @Test
    void a_document_that_is_no_job_any_more_is_no_event_until_it_is_one_again() throws Exception {
        TestQueue.assumeThatAnythingCanBeStored();
        add("1", Map.of());
        Subscription subscription = queue.subscribe("email", "1");
        Subscription witness =
                queue.subscribe(List.of(addedWitness())).values().iterator().next();

        String rev = overwrite("1", JsonNodeFactory.instance.objectNode().put("status", 7));
        assertThatThrownBy(() -> queue.subscribe("email", "1", "a third"))
                .isInstanceOf(MalformedDocumentException.class);
        others.remove("email", "witness");
        next(witness);
        assertThat(subscription.await(Duration.ZERO)).isEmpty();
        assertThat(subscription.phase()).isEqualTo(JobPhase.PENDING);

        overwrite(
                "1",
                JsonNodeFactory.instance.objectNode().put("status", "success").put("_rev", rev));
        assertThat(next(subscription).phase()).isEqualTo(JobPhase.FINISHED);
    }

    @Test
    void many_jobs_are_subscribed_at_once_and_those_that_are_not_there_are_left_out() throws Exception {
        add("1", Map.of());
        add("2", Map.of());
        claim().finish();
        List<JobId> ids = List.of(new JobId("email", "1"), new JobId("email", "none"), new JobId("email", "2"));

        Map<JobId, Subscription> all = queue.subscribe(ids);

        assertThat(all.keySet()).containsExactly(ids.get(0), ids.get(2));
        assertThat(all.values()).filteredOn(Subscription::isClosed).hasSize(1);
        Subscription open =
                all.values().stream().filter(one -> !one.isClosed()).findFirst().orElseThrow();
        claim().finish();
        assertThat(open.await(JobPhase.FINISHED, PATIENCE)).isPresent();
    }

    private JobId addedWitness() {
        add("witness", Map.of());
        return new JobId("email", "witness");
    }

    private String overwrite(String id, ObjectNode document) {
        String docId = new JobId("email", id).docId();
        document.put("_id", docId);
        if (!document.has("_rev")) {
            document.put(
                    "_rev",
                    others.database().get(docId).orElseThrow().path("_rev").asText());
        }
        return ((io.couchjobs.couch.WriteResult.Stored) others.database().put(document)).rev();
    }

    private void add(String id, Map<String, ?> data) {
        others.add(JobRequest.builder("email").id(id).data(data).build());
    }

    private ClaimedJob claim() throws InterruptedException {
        return others.accept(AcceptOptions.of("email").timeout(PATIENCE)).get(0);
    }

    private static JobChange next(Subscription subscription) throws InterruptedException {
        return subscription.await(PATIENCE).orElseThrow(() -> new AssertionError("no event of " + subscription));
    }

    private static <T> T uninterrupted(java.util.concurrent.Callable<T> waiting) {
        try {
            return waiting.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}

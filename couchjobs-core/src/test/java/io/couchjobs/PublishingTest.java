package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The events of a job as a reactive stream. */
@ServerTest
class PublishingTest {
    private static final String DONE = "complete";

    private JobQueue queue;
    private Subscription subscription;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        subscription = queue.subscribe("email", "1");
    }

    @AfterEach
    void close() {
        queue.close();
    }

    private ClaimedJob claim() {
        return queue.claim(new JobId("email", "1")).orElseThrow();
    }

    @Test
    void a_subscriber_hears_what_happens_until_the_job_has_ended() throws Exception {
        Heard heard = new Heard(Long.MAX_VALUE);
        subscription.publisher().subscribe(heard);
        ClaimedJob claim = claim();
        assertThat(heard.next()).isEqualTo(JobPhase.RUNNING);
        claim.finish();
        assertThat(heard.next()).isEqualTo(JobPhase.FINISHED);
        assertThat(heard.next()).isEqualTo(DONE);
        assertThat(subscription.isClosed()).isTrue();
    }

    @Test
    void a_subscriber_gets_no_more_than_it_asks_for_and_the_rest_when_it_does() throws Exception {
        Heard heard = new Heard(1);
        subscription.publisher().subscribe(heard);
        ClaimedJob claim = claim();
        assertThat(heard.next()).isEqualTo(JobPhase.RUNNING);
        claim.finish();
        TestQueue.until(() -> subscription.ended().isDone());
        assertThat(heard.all).isEmpty();
        heard.ask(1);
        assertThat(heard.next()).isEqualTo(JobPhase.FINISHED);
        assertThat(heard.next()).isEqualTo(DONE);
    }

    @Test
    void a_subscriber_that_cancels_leaves_the_events_to_who_awaits_them() throws Exception {
        Heard heard = new Heard(Long.MAX_VALUE);
        subscription.publisher().subscribe(heard);
        heard.cancel();
        claim();
        assertThat(subscription.await(TestQueue.PATIENCE).map(JobChange::phase)).contains(JobPhase.RUNNING);
        assertThat(heard.all).isEmpty();
    }

    @Test
    void a_subscription_that_is_closed_completes() throws Exception {
        Heard heard = new Heard(Long.MAX_VALUE);
        subscription.publisher().subscribe(heard);
        subscription.close();
        assertThat(heard.next()).isEqualTo(DONE);
    }

    @Test
    void the_queue_that_is_closed_completes() throws Exception {
        Heard heard = new Heard(Long.MAX_VALUE);
        subscription.publisher().subscribe(heard);
        queue.close();
        assertThat(heard.next()).isEqualTo(DONE);
    }

    @Test
    void a_second_subscriber_is_told_to_take_a_subscription_of_its_own() throws Exception {
        Heard first = new Heard(Long.MAX_VALUE);
        Heard second = new Heard(Long.MAX_VALUE);
        subscription.publisher().subscribe(first);
        subscription.publisher().subscribe(second);
        assertThat(second.next()).isInstanceOf(IllegalStateException.class);
        claim();
        assertThat(first.next()).isEqualTo(JobPhase.RUNNING);
        assertThat(second.all).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void a_subscriber_that_asks_for_nothing_is_told_so(long count) throws Exception {
        Heard heard = new Heard(count);
        subscription.publisher().subscribe(heard);
        assertThat(heard.next())
                .isInstanceOfSatisfying(IllegalArgumentException.class, problem -> assertThat(problem.getMessage())
                        .contains(String.valueOf(count)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_subscriber_that_throws_gets_no_more(boolean isError) throws Exception {
        Heard heard = new Heard(Long.MAX_VALUE) {
            @Override
            public void onNext(JobChange change) {
                super.onNext(change);
                if (isError) {
                    throw new AssertionError("a bug of the subscriber");
                }
                throw new IllegalStateException("a bug of the subscriber");
            }
        };
        subscription.publisher().subscribe(heard);
        ClaimedJob claim = claim();
        assertThat(heard.next()).isEqualTo(JobPhase.RUNNING);
        claim.finish();
        assertThat(subscription.await(TestQueue.PATIENCE).map(JobChange::phase)).contains(JobPhase.FINISHED);
        assertThat(heard.all).isEmpty();
    }

    @Test
    void a_subscriber_that_takes_its_time_holds_one_thread_however_much_happens() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Heard heard = new Heard(Long.MAX_VALUE) {
            @Override
            public void onNext(JobChange change) {
                super.onNext(change);
                await(done);
            }
        };
        subscription.publisher().subscribe(heard);
        ClaimedJob claim = claim();
        assertThat(heard.next()).isEqualTo(JobPhase.RUNNING);
        try (Subscription witness = queue.subscribe("email", "1", "witness")) {
            for (int i = 0; i < 5; i++) {
                int n = i;
                claim.update(Map.of("n", n));
                assertThat(witness.await(job -> job.data().path("n").asInt(-1) == n, TestQueue.PATIENCE))
                        .isPresent();
            }
            assertThat(Thread.getAllStackTraces().values())
                    .filteredOn(stack -> Arrays.stream(stack)
                            .anyMatch(frame -> frame.getClassName().endsWith("ChangePublisher")))
                    .hasSize(1);
        } finally {
            done.countDown();
        }
        claim.finish();
        Object next = heard.next();
        while (next == JobPhase.RUNNING) {
            next = heard.next();
        }
        assertThat(next).isEqualTo(JobPhase.FINISHED);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes down what it is told. */
    private static class Heard implements Flow.Subscriber<JobChange> {
        final BlockingQueue<Object> all = new LinkedBlockingQueue<>();
        private final long first;
        private Flow.@Nullable Subscription source;

        Heard(long first) {
            this.first = first;
        }

        Object next() throws InterruptedException {
            Object next = all.poll(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return next == null ? "nothing" : next;
        }

        void ask(long count) {
            if (source != null) {
                source.request(count);
            }
        }

        void cancel() {
            if (source != null) {
                source.cancel();
            }
        }

        @Override
        public void onSubscribe(Flow.Subscription subscribed) {
            source = subscribed;
            subscribed.request(first);
        }

        @Override
        public void onNext(JobChange change) {
            all.add(change.phase());
        }

        @Override
        public void onError(Throwable problem) {
            all.add(problem);
        }

        @Override
        public void onComplete() {
            all.add(DONE);
        }
    }
}

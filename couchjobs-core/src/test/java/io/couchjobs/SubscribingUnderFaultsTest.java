package io.couchjobs;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.FeedProxy;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever happens to a job, and to the feed meanwhile, a subscriber is told a story that makes sense, to its end. */
@ServerTest
class SubscribingUnderFaultsTest {
    private static final int RUNS = Integer.getInteger("couchjobs.subscription.runs", 12);
    private static final int STEPS = 25;

    @Test
    void a_subscriber_hears_the_end_once_and_nothing_backwards(TestDatabase database) throws Exception {
        long seed = Long.getLong("couchjobs.seed", System.nanoTime());
        System.out.println("seed " + seed + ", repeat with -Dcouchjobs.seed=" + seed);
        try (FeedProxy proxy = new FeedProxy(database);
                JobQueue queue = proxy.queue().open();
                JobQueue others = TestQueue.open(database)) {
            for (int run = 0; run < RUNS; run++) {
                Random random = new Random(seed + run);
                story("run-" + run, random, proxy, queue, others);
            }
        }
    }

    private static void story(String id, Random random, FeedProxy proxy, JobQueue queue, JobQueue others)
            throws Exception {
        Life life = new Life("email", id, others, random);
        life.add();
        Subscription subscription = queue.subscribe("email", id);
        CompletableFuture<List<JobChange>> listening = CompletableFuture.supplyAsync(() -> listen(subscription));
        for (int step = 0; step < STEPS && !life.isEnded(); step++) {
            life.step();
            fault(random, proxy);
        }
        life.end();
        fault(random, proxy);

        List<JobChange> events = listening.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        check(id, events, others.get("email", id));
        assertThat(queue.awaitFinished("email", id, PATIENCE).map(Job::phase))
                .as(id)
                .contains(JobPhase.FINISHED);
    }

    private static void fault(Random random, FeedProxy proxy) throws InterruptedException {
        switch (random.nextInt(12)) {
            case 0 -> proxy.cut();
            case 1 -> proxy.cutInARow();
            case 2, 3, 4 -> proxy.rewind();
            case 5 -> TestQueue.work(60); // longer than a burst
            default -> Thread.onSpinWait();
        }
    }

    private static List<JobChange> listen(Subscription subscription) {
        List<JobChange> events = new ArrayList<>();
        try {
            while (!subscription.isClosed()) {
                subscription.await(PATIENCE).ifPresent(events::add);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return events;
    }

    private static void check(String id, List<JobChange> events, Optional<Job> present) {
        String story = id + " "
                + events.stream()
                        .map(event -> event.phase() + "@"
                                + event.job().map(Job::fence).orElse(-1L)
                                + event.job()
                                        .flatMap(Job::rev)
                                        .map(rev -> "(" + rev.substring(0, rev.indexOf('-')) + ")")
                                        .orElse(""))
                        .toList();
        assertThat(events).as(story).isNotEmpty();
        assertThat(events)
                .as(story)
                .filteredOn(event -> event.phase() == JobPhase.FINISHED)
                .hasSize(1);
        JobChange last = events.get(events.size() - 1);
        assertThat(last.phase()).as(story).isEqualTo(JobPhase.FINISHED);
        assertThat(last.job().flatMap(Job::rev)).as(story).isEqualTo(present.flatMap(Job::rev));
        long generation = 0;
        long fence = 0;
        boolean left = false;
        for (JobChange event : events) {
            Job job = event.job().orElseThrow();
            long next = Long.parseLong(job.rev().orElseThrow().replaceAll("-.*", ""));
            assertThat(next).as(story).isGreaterThan(generation);
            assertThat(job.fence()).as(story).isGreaterThanOrEqualTo(fence);
            assertThat(left && event.phase() == JobPhase.RUNNING && job.fence() == fence)
                    .as("a run that was left goes on: " + story)
                    .isFalse();
            left = event.phase() != JobPhase.RUNNING;
            generation = next;
            fence = job.fence();
        }
    }

    /** A job that goes through whatever a job can go through, until it is finished. */
    private static final class Life {
        private final String type;
        private final String id;
        private final JobQueue queue;
        private final Random random;
        private @Nullable ClaimedJob claimed;
        private boolean ended;

        Life(String type, String id, JobQueue queue, Random random) {
            this.type = type;
            this.id = id;
            this.queue = queue;
            this.random = random;
        }

        void add() {
            queue.add(JobRequest.builder(type).id(id).data(Map.of("n", 0)).build());
        }

        boolean isEnded() {
            return ended;
        }

        void step() throws InterruptedException {
            ClaimedJob owned = claimed;
            if (owned == null) {
                pending();
            } else {
                running(owned);
            }
        }

        /** One that was resubmitted waits again after its finish. */
        void end() throws InterruptedException {
            while (!ended) {
                if (claimed == null) {
                    claim();
                }
                Objects.requireNonNull(claimed).finish();
                claimed = null;
                ended = queue.phase(type, id) == JobPhase.FINISHED;
            }
        }

        private void pending() throws InterruptedException {
            switch (random.nextInt(8)) {
                case 0 -> queue.setPriority(type, id, random.nextInt(100));
                case 1 -> queue.reschedule(type, id, Jobs.past(random.nextInt(1000)));
                case 2 -> {
                    if (random.nextInt(6) == 0) {
                        queue.cancel(type, id, CancelMode.IF_QUEUED);
                        ended = true;
                    }
                }
                default -> claim();
            }
        }

        private void claim() throws InterruptedException {
            queue.retryNow(type, id); // a failed one waits for its time
            claimed = queue.accept(AcceptOptions.of(type).timeout(PATIENCE)).get(0);
        }

        private void running(ClaimedJob owned) {
            switch (random.nextInt(9)) {
                case 0, 1 -> owned.update(Map.of("n", random.nextInt()));
                case 2 -> owned.update();
                case 3 -> queue.resubmit(type, id, Instant.EPOCH);
                case 4 -> {
                    owned.release();
                    claimed = null;
                }
                case 5 -> {
                    owned.fail(JobError.Kind.FAILED, "a test", null, false);
                    claimed = null;
                    ended = queue.phase(type, id) == JobPhase.FINISHED;
                }
                case 6 -> {
                    owned.finish();
                    claimed = null;
                    ended = queue.phase(type, id) == JobPhase.FINISHED;
                }
                default -> owned.update(Map.of("n", random.nextInt()));
            }
        }
    }
}

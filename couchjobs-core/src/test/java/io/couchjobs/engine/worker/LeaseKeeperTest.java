package io.couchjobs.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.HandMovedTime;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a process gives a sign of life, on a clock that the test moves. */
@ServerTest
class LeaseKeeperTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Instant begun = Instant.now();
    private final Collection<Owned> runs = new CopyOnWriteArrayList<>();
    private final HandMovedTime time = new HandMovedTime("couchjobs-leases");
    private JobQueue queue;
    private JobStore store;
    private Finder finder;
    private LeaseKeeper leases;
    private SettingsStore settings;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        store = Stores.of(queue.database());
        ServerClock clock = new ServerClock(() -> begun.plusNanos(time.passed()), () -> Duration.ZERO, time::passed);
        settings = new SettingsStore(queue.database(), Duration.ofSeconds(60));
        QueueParts parts = new QueueParts(
                store,
                new JobIndex(new DesignDocuments(queue.database())),
                settings,
                Feeds.of(queue.database()),
                clock);
        finder = new Finder(parts, "here");
        Registration registration = new Registration(queue.database(), "here", List.of("email"), begun);
        leases = new LeaseKeeper(registration, runs, settings, clock, time);
    }

    @AfterEach
    void close() {
        assertThat(runs).as("leases that are over").noneMatch(LeaseHolder::isHalted);
        finder.close();
        store.close();
        queue.close();
    }

    @Test
    void five_minutes_at_most_are_between_two_signs_of_life_of_a_worker_however_long_its_jobs_may_be_silent()
            throws Exception {
        leases.start();
        begin(Duration.ofMinutes(60));
        List<Long> whileItRuns = beatsEvery(5, 3);
        time.pass(MINUTE);
        runs.clear();
        time.pass(MINUTE.multipliedBy(4));
        long afterItsEnd = beats();

        assertThat(whileItRuns).containsExactly(2L, 3L, 4L);
        assertThat(afterItsEnd).isEqualTo(5);
        assertThat(beatsEvery(5, 2)).containsExactly(6L, 7L);
    }

    @Test
    void a_sign_of_life_that_failed_is_given_again_soon_also_when_nothing_runs() {
        leases.start();
        queue.database().delete();
        time.pass(MINUTE.multipliedBy(5));
        queue.operations().init();
        time.pass(MINUTE);
        assertThat(queue.database().get("worker:here")).isPresent();
    }

    @Test
    void leases_of_jobs_with_a_short_timeout_are_renewed_every_third_of_it() throws Exception {
        leases.start();
        begin(Duration.ofMinutes(3));
        assertThat(beatsEvery(1, 4)).containsExactly(2L, 3L, 4L, 5L);
    }

    @Test
    void a_job_that_ends_before_its_lease_needs_a_renewal_costs_no_sign_of_life() throws Exception {
        leases.start();
        time.pass(MINUTE);
        begin(Duration.ofMinutes(3));
        runs.clear();
        assertThat(beatsEvery(1, 4)).containsExactly(1L, 1L, 1L, 2L);
    }

    @Test
    void claims_by_hand_that_end_before_their_first_renewal_leave_no_registration() throws Exception {
        begin(Duration.ofMinutes(60));
        time.pass(MINUTE);
        runs.clear();
        time.pass(Duration.ofHours(1));
        assertThat(queue.database().get("worker:here")).isEmpty();
    }

    @Test
    void a_worker_that_begins_a_job_after_a_pause_is_not_shown_as_silent() throws Exception {
        leases.start();
        begin(Duration.ofMinutes(3));
        time.pass(MINUTE);
        runs.clear();
        time.pass(MINUTE.multipliedBy(4));
        begin(Duration.ofMinutes(3));
        Instant now = begun.plusNanos(time.passed());
        assertThat(queue.operations().workers())
                .allSatisfy(worker -> assertThat(worker.jobs()).isNotEmpty())
                .noneMatch(worker -> worker.isSilent(now));
    }

    @Test
    void a_lease_whose_timeout_becomes_shorter_than_its_age_is_renewed_and_not_given_up() throws Exception {
        leases.start();
        begin(Duration.ofMinutes(60));
        time.pass(MINUTE.multipliedBy(4));
        settings.change("email", known -> known.withTimeout(MINUTE.multipliedBy(2)));
        leases.hurry();
        time.pass(MINUTE);
        assertThat(beats()).isEqualTo(2);
    }

    private void begin(Duration timeout) throws InterruptedException {
        queue.types().setTimeout("email", timeout);
        queue.add(JobRequest.of("email", Map.of()));
        LeasedJob claim = finder.accept(AcceptOptions.of("email").max(1)).get(0);
        Owned run = new Owned(claim, new AtomicBoolean());
        runs.add(run);
        leases.begun(run);
    }

    private List<Long> beatsEvery(int minutes, int times) {
        List<Long> beats = new CopyOnWriteArrayList<>();
        for (int i = 0; i < times; i++) {
            time.pass(MINUTE.multipliedBy(minutes));
            beats.add(beats());
        }
        return beats;
    }

    private long beats() {
        return queue.database()
                .get("worker:here")
                .orElseThrow()
                .path(WorkerRegistration.BEAT)
                .asLong();
    }

    private record Owned(LeasedJob claim, AtomicBoolean halted) implements LeaseHolder {
        @Override
        public boolean isHalted() {
            return halted.get();
        }

        @Override
        public void halt() {
            halted.set(true);
        }
    }
}

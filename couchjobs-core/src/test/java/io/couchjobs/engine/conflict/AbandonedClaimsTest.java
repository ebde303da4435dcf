package io.couchjobs.engine.conflict;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.ConflictOutcome;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import io.couchjobs.job.QueueListener;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Conflicts between claims of workers of which some are gone, on a clock that is moved by hand. */
@ServerTest
class AbandonedClaimsTest {
    private static final String JOB = "job:email:1";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final AtomicLong nanos = new AtomicLong();
    private final Set<String> held = ConcurrentHashMap.newKeySet();
    private final ServerClock clock = new ServerClock(InstantSource.system(), () -> Duration.ZERO, nanos::get);
    private JobQueue queue;
    private JobWriter writer;
    private SettingsStore settings;
    private AbandonedClaims abandoned;
    private Resolver resolver;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        queue = TestQueue.open(database);
        writer = Stores.writer(queue.database());
        settings = new SettingsStore(queue.database(), TIMEOUT);
        abandoned = new AbandonedClaims(writer, settings, clock);
        resolver = new Resolver(writer, clock, abandoned);
        abandoned.join(new Owner("here", held::contains));
        beat("other");
    }

    @AfterEach
    void close() {
        writer.close();
        queue.close();
    }

    @Test
    void a_claim_of_a_dead_worker_is_taken_back_and_the_living_one_keeps_the_job(TestDatabase database)
            throws Exception {
        held.add("t1");
        Replicated.into(
                database,
                Replicated.leaf(2, 'a', Replicated.owned("here", "t1", 1)),
                Replicated.leaf(2, 'b', Replicated.owned("dead", "t2", 1)));
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
        nanos.addAndGet(TIMEOUT.toNanos());
        assertThat(resolver.resolve(JOB)).as("not before its monitors would").isEqualTo(ConflictOutcome.UNDECIDED);
        nanos.addAndGet(TIMEOUT.toNanos());
        assertThat(resolver.resolve(JOB)).as("it may have run").isEqualTo(ConflictOutcome.UNDECIDED);
        assertThat(owners()).containsExactly("t1");
    }

    @Test
    void while_the_registration_of_a_worker_moves_its_claim_is_its_own(TestDatabase database) throws Exception {
        held.add("t1");
        Replicated.into(
                database,
                Replicated.leaf(2, 'a', Replicated.owned("here", "t1", 1)),
                Replicated.leaf(2, 'b', Replicated.owned("other", "t2", 1)));
        for (int i = 0; i < 4; i++) {
            assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
            nanos.addAndGet(TIMEOUT.toNanos());
            beat("other");
        }
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
    }

    @Test
    void after_a_timeout_becomes_shorter_a_worker_has_the_whole_of_it_for_its_next_sign_of_life(TestDatabase database)
            throws Exception {
        held.add("t1");
        Replicated.into(
                database,
                Replicated.leaf(2, 'a', Replicated.owned("here", "t1", 1)),
                Replicated.leaf(2, 'b', Replicated.owned("other", "t2", 1)));
        settings.change("email", present -> present.withTimeout(Duration.ofMinutes(10)));
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
        nanos.addAndGet(Duration.ofMinutes(5).toNanos());
        settings.change("email", present -> present.withTimeout(TIMEOUT));
        for (int look = 0; look < 3; look++) {
            assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
            assertThat(owners()).containsExactlyInAnyOrder("t1", "t2");
            nanos.addAndGet(TIMEOUT.dividedBy(3).toNanos());
        }
        nanos.addAndGet(TIMEOUT.toNanos());
        assertThat(resolver.resolve(JOB)).as("it may have run").isEqualTo(ConflictOutcome.UNDECIDED);
        assertThat(owners()).containsExactly("t1");
    }

    @Test
    void a_claim_that_its_own_worker_has_forgotten_is_taken_back_soon(TestDatabase database) throws Exception {
        Replicated.into(
                database,
                Replicated.leaf(2, 'a', Replicated.owned("here", "t1", 1)),
                Replicated.leaf(2, 'b', Replicated.owned("other", "t2", 1)));
        assertThat(resolver.resolve(JOB)).as("it may be just claiming").isEqualTo(ConflictOutcome.UNDECIDED);
        nanos.addAndGet(Duration.ofSeconds(11).toNanos());
        assertThat(resolver.resolve(JOB)).as("it may have run").isEqualTo(ConflictOutcome.UNDECIDED);
        assertThat(owners()).containsExactly("t2");
    }

    @Test
    void a_claim_whose_answer_takes_long_is_not_taken_for_forgotten(TestDatabase database) throws Exception {
        writer.claimsUnderWay().add("t1");
        Replicated.into(
                database,
                Replicated.leaf(2, 'a', Replicated.owned("here", "t1", 1)),
                Replicated.leaf(2, 'b', Replicated.owned("other", "t2", 1)));
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
        nanos.addAndGet(Duration.ofSeconds(30).toNanos());
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
    }

    @Test
    void a_claim_that_listeners_are_still_told_of_is_not_taken_for_forgotten(TestDatabase database) throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        QueueListener slow = new QueueListener() {
            @Override
            public void claimed(Job before, Job claimed) {
                resolveBesideAnotherClaim(database);
            }
        };
        try (JobStore store = new JobStore(writer, id -> {}, List.of(slow), AttachedData.DEFAULT_LIMIT)) {
            Finder finder = new Finder(
                    new QueueParts(
                            store,
                            new JobIndex(new DesignDocuments(queue.database())),
                            settings,
                            Feeds.of(queue.database()),
                            clock),
                    "here");
            LeasedJob claim = finder.accept(AcceptOptions.of("email").timeout(Duration.ZERO))
                    .get(0);
            assertThat(owners()).containsExactlyInAnyOrder(claim.token(), "t2");
            finder.close();
        }
    }

    private void resolveBesideAnotherClaim(TestDatabase database) {
        try {
            Replicated.into(database, Replicated.leaf(2, 'b', Replicated.owned("other", "t2", 1)));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
        nanos.addAndGet(Duration.ofSeconds(11).toNanos());
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
    }

    @Test
    void when_all_who_may_own_it_are_gone_the_job_waits_again_and_its_next_claim_has_a_greater_fence(
            TestDatabase database) throws Exception {
        Replicated.into(
                database,
                Replicated.leaf(2, 'a', Replicated.owned("dead", "t1", 1)),
                Replicated.leaf(2, 'b', Replicated.owned("dead", "t2", 1)));
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.UNDECIDED);
        nanos.addAndGet(TIMEOUT.multipliedBy(2).toNanos());
        assertThat(resolver.resolve(JOB)).isEqualTo(ConflictOutcome.RESOLVED);
        assertThat(job().status()).isEqualTo(JobStatus.WAITING);
        assertThat(job().expirations()).isEqualTo(1);
        ClaimedJob claim = queue.accept(AcceptOptions.of("email")).get(0);
        assertThat(claim.fence()).isEqualTo(2);
    }

    private List<String> owners() {
        try (JobStore store = Stores.of(queue.database())) {
            return store.leaves(new JobId("email", "1")).jobs().stream()
                    .filter(job -> !job.isWithdrawn())
                    .flatMap(job -> job.lock().stream())
                    .map(Lock::token)
                    .toList();
        }
    }

    private Job job() {
        return queue.get("email", "1").orElseThrow();
    }

    private void beat(String worker) {
        ObjectNode registration = queue.database()
                .get("worker:" + worker)
                .orElseGet(() -> com.fasterxml.jackson.databind.node.JsonNodeFactory.instance
                        .objectNode()
                        .put("_id", "worker:" + worker));
        queue.database().put(registration.put("beat", registration.path("beat").asInt() + 1));
    }
}

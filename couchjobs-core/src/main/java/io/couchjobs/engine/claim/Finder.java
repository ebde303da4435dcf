package io.couchjobs.engine.claim;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.due.Candidates;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.limit.Admission;
import io.couchjobs.engine.limit.Candidate;
import io.couchjobs.engine.limit.Capacity;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Leaves;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds due jobs for one worker, and waits for a due job if necessary. Thread-safe.
 *
 * <p>The finder takes candidates from the known jobs, a window of the index that the feed keeps up to date. It hands them
 * over as a {@link Pick}, to be claimed. When no job is due, it sleeps until the feed brings an event, the next job falls
 * due, or the deadline passes. No wake-up is lost, because the feed's position is taken before the index is read.
 */
public final class Finder implements FeedListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Finder.class);
    private static final Duration WHILE_BUSY = Duration.ofMillis(250);
    private static final Duration PER_WORKER = Duration.ofMillis(20);
    private static final Duration FALLBACK = Duration.ofMinutes(10);
    /** On a cluster, the copy of the index that was read may have been out of date. */
    private static final Duration FALLBACK_ON_CLUSTERS = Duration.ofSeconds(45);

    private static final int MOST_LOST_RACES = 10;

    private final Limits limits;
    private final UnconfirmedClaims unconfirmed;
    private final Claimer claimer;
    private final SettingsStore settings;
    private final ServerClock clock;
    private final Feed feed;
    private final JobStore store;
    private final String worker;
    private final Admission admission;
    private final Candidates candidates;
    private final Waiter waiter;
    private final LongAdder conflicts = new LongAdder();
    private final Pick.Parts picks;
    private @Nullable Listening listening;
    private long doubtedNanos;

    public Finder(QueueParts parts, String worker) {
        this.settings = parts.settings();
        this.clock = parts.clock();
        this.feed = parts.feed();
        this.store = parts.store();
        this.worker = worker;
        this.waiter = new Waiter(clock, store.environment());
        this.limits = new Limits(parts, worker, waiter::wake);
        this.unconfirmed = new UnconfirmedClaims(clock::nanos, store.environment());
        this.claimer = new Claimer(parts, limits, unconfirmed);
        this.admission = new Admission(waiter::wake, clock::nanos);
        this.candidates = new Candidates(
                parts.index(),
                clock,
                store.environment(),
                worker,
                type -> admission.rules(settings.get(type).classes()),
                admission);
        this.picks = new Pick.Parts(store, worker, limits, claimer, candidates, waiter, conflicts);
    }

    /**
     * Claims due jobs, and waits for a due job if there is none. When the time runs out while claims are lost to other
     * workers, a few more claims are tried.
     *
     * @return the claimed jobs; empty when the time is over
     */
    public List<LeasedJob> accept(AcceptOptions options) throws InterruptedException {
        return accept(options, clock.nanos());
    }

    /** As {@link #accept(AcceptOptions)}, for a caller whose time began at {@code started} on the monotonic clock. */
    public List<LeasedJob> accept(AcceptOptions options, long started) throws InterruptedException {
        Backoff lostRaces = lostRaces();
        while (true) {
            Optional<Pick> pick = find(options, started);
            if (pick.isEmpty()) {
                return List.of();
            }
            List<LeasedJob> won = pick.get().claim();
            if (!won.isEmpty() || (isOver(options, started) && lostRaces.attempts() >= MOST_LOST_RACES)) {
                return won;
            }
            lostRaces.pause();
        }
    }

    /**
     * Claims a given job, even before its scheduled time.
     *
     * @param which whether the present job is to be claimed
     * @return the job, owned by this worker; empty when it cannot be claimed now, has conflicts, belongs to another site,
     *     has no room in its limits, or another claim won
     * @throws NotFoundException when a majority of the copies has no such job
     */
    public Optional<LeasedJob> claim(JobId id, Predicate<Job> which) {
        listen();
        Leaves leaves = store.leaves(id);
        if (leaves.winner().isEmpty() && store.isMissing(id)) {
            throw new NotFoundException(id);
        }
        return leaves.winner()
                .filter(job -> !leaves.needResolution() && store.site().owns(job))
                .filter(job -> job.isClaimable() && which.test(job) && limits.isOpen(id.type()))
                .flatMap(this::claim);
    }

    private Optional<LeasedJob> claim(Job job) {
        Candidate candidate = new Candidate(job, store.environment().uuid().toString());
        return claimer.whileUnderWay(List.of(candidate), () -> claim(candidate));
    }

    private Optional<LeasedJob> claim(Candidate candidate) {
        List<Candidate> granted = limits.grant(List.of(candidate));
        List<LeasedJob> won = granted.isEmpty() ? List.of() : claimer.claim(granted, worker, true);
        try {
            Pick.note(picks, candidate);
        } catch (RuntimeException e) {
            log.warn("the outcome of the requested claim of job {} could not be noted", candidate.id(), e);
        }
        return won.stream().findFirst();
    }

    /** Waits for due jobs and takes them out of the known jobs, to be claimed at once. Returns empty when the time is over. */
    public Optional<Pick> find(AcceptOptions options) throws InterruptedException {
        return find(options, clock.nanos());
    }

    /** {@return the pauses of a worker that loses all its claims to other workers} */
    public Backoff lostRaces() {
        return new Backoff(store.environment(), Duration.ofMillis(2), Duration.ofMillis(250));
    }

    private Optional<Pick> find(AcceptOptions options, long started) throws InterruptedException {
        try {
            return findOrWait(options, started);
        } catch (CouchJobsException trouble) {
            store.claimTroubles().failed(worker, trouble);
            throw trouble;
        }
    }

    private Optional<Pick> findOrWait(AcceptOptions options, long started) throws InterruptedException {
        listen();
        boolean certain = false;
        while (true) {
            long seen = waiter.changes();
            List<String> open = openTypes(options);
            Capacity capacity = unconfirmed.except(limits.groupsWithRoom(open));
            List<Candidate> taken = candidates.take(open, options, !certain, capacity);
            if (!taken.isEmpty()) {
                return Optional.of(new Pick(picks, taken, options));
            }
            store.claimTroubles().over(worker);
            if (!isOver(options, started)) {
                Duration due = waiter.untilWorthALook(() -> candidates.pause(open, options, capacity));
                Duration room = Environment.shorter(limits.pause(options.types()), unconfirmed.pause());
                waiter.await(
                        Environment.shorter(left(options, started), Environment.shorter(due, room)),
                        options.types(),
                        seen);
                doubtNowAndThen();
            } else if (certain) {
                return Optional.empty();
            } else {
                certain = true;
                candidates.doubt();
            }
        }
    }

    /** {@return how many claims were lost to other workers so far} */
    public long conflicts() {
        return conflicts.sum();
    }

    /** {@return the jobs that may be claimed, and the group whose turn it is} */
    public Candidates candidates() {
        return candidates;
    }

    public Limits limits() {
        return limits;
    }

    /** {@return which jobs are admitted; a change takes effect from the next claim on} */
    public Admission admission() {
        return admission;
    }

    @Override
    public void changed(FeedEvent event) {
        boolean more = limits.changed(event);
        if (candidates.changed(event) || more) {
            waiter.wake();
        }
    }

    /**
     * While a caller waits for a job, it needs each document of its types. A busy worker reads the index when it knows no
     * due job.
     */
    @Override
    public boolean needsDocument(FeedNotice notice) {
        return notice.jobId()
                .map(JobId::type)
                .filter(type -> limits.needsDocuments(type)
                        || (!notice.own() && (waiter.isAwaited(type) || candidates.needsDocuments(type))))
                .isPresent();
    }

    /** A busy worker, or one of many waiting workers, need not learn of a job at once. */
    @Override
    public Duration patience() {
        return waiter.isAwaited()
                ? Environment.shorter(PER_WORKER.multipliedBy(candidates.workers()), LATER)
                : WHILE_BUSY;
    }

    /** Changes of slots, and of groups that take turns, are followed one by one. */
    @Override
    public boolean needsEach() {
        return !waiter.isAwaited() || limits.needAnyDocument() || candidates.needAnyDocument();
    }

    @Override
    public void unread(FeedNotice notice) {
        notice.jobId().filter(id -> candidates.unread(id.type(), notice)).ifPresent(id -> waiter.wakeIdle());
    }

    @Override
    public void gap() {
        candidates.forgetAll();
        limits.forget();
        waiter.wake();
    }

    /** Stops listening, and ends all waiting {@code accept} calls. */
    @Override
    public synchronized void close() {
        waiter.close();
        store.claimTroubles().over(worker);
        if (listening != null) {
            listening.close();
        }
    }

    /** Begins to listen. This fixes the feed's position before the index is read for the first time. */
    private void listen() {
        if (begin() && candidates.isInDoubtOfOthers()) {
            candidates.load(store.database()); // outside of the monitor, so that close() need not wait for it
        }
    }

    private synchronized boolean begin() {
        if (listening == null && !waiter.isClosed()) {
            listening = feed.listen(this);
            doubtedNanos = clock.nanos();
        }
        return !waiter.isClosed();
    }

    /** {@return whether the rate of a type is used up for now, while the type is not paused and all its jobs are admitted} */
    public boolean isRateUsedUp(String type) {
        TypeSettings present = settings.get(type);
        return !present.isPaused() && admission.rules(present.classes()).takeAll() && limits.isRateUsedUp(type);
    }

    /** {@return whether jobs that cannot be claimed now may become claimable soon, if no worker owns a job of these types} */
    public boolean mayClaimSoon(Collection<String> types) {
        return unconfirmed.hasClaimableSoon() || types.stream().anyMatch(limits::isRoomComing);
    }

    private List<String> openTypes(AcceptOptions options) {
        return options.types().stream()
                .filter(type -> !settings.get(type).isPaused() && limits.isOpen(type))
                .toList();
    }

    private boolean isOver(AcceptOptions options, long started) {
        Duration left = left(options, started);
        return left.isZero() || left.isNegative();
    }

    private Duration left(AcceptOptions options, long started) {
        Duration timeout = options.timeout();
        return timeout == null ? FALLBACK : timeout.minusNanos(clock.nanos() - started);
    }

    private void doubtNowAndThen() {
        if (hasPassedSinceDoubt(FALLBACK) || (hasPassedSinceDoubt(FALLBACK_ON_CLUSTERS) && store.isCluster())) {
            synchronized (this) {
                doubtedNanos = clock.nanos();
            }
            candidates.doubt();
        }
    }

    private synchronized boolean hasPassedSinceDoubt(Duration time) {
        return clock.nanos() - doubtedNanos > time.toNanos();
    }
}

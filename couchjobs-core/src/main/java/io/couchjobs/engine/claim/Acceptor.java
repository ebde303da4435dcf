package io.couchjobs.engine.claim;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.due.Awaiting;
import io.couchjobs.engine.due.Candidates;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.limit.Admission;
import io.couchjobs.engine.limit.AdmissionCache;
import io.couchjobs.engine.limit.Capacity;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.QueueListener;
import io.couchjobs.job.Strategy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds due jobs and claims them, waiting for one if need be. Thread-safe.
 *
 * <p>One round takes candidates from the known jobs (a window of the index, kept up to date by the feed), claims them
 * in bulk and hands over those that were won. When no job is due, it sleeps until the feed brings an event, the next
 * job falls due, or the deadline passes. No wake-up is lost: the feed's position was taken before the index was read.
 */
public final class Acceptor implements Feed.Listener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Acceptor.class);
    private static final Duration FALLBACK = Duration.ofMinutes(10);
    /** On a cluster the copy of the index that was read may have been behind. */
    private static final Duration FALLBACK_ON_CLUSTERS = Duration.ofSeconds(45);
    /** The clock may be set, or the machine may sleep, while an accept waits: it looks again this often. */
    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(20);

    private static final Duration SHARP = Duration.ofMillis(1250);
    private static final Duration ASK_EVERY = Duration.ofMillis(100);
    private static final Duration FORGET_ASKING = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final int MOST_ASKED = 30;
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
    private final LongAdder conflicts = new LongAdder();
    private @Nullable Listening listening;
    private final Awaiting awaiting = new Awaiting();
    private long changes;
    private long unreadChanges;
    private long doubtedNanos;
    private boolean closed;
    private long askedNanos;
    private int asked;

    /**
     * Makes an acceptor for one worker.
     *
     * @param parts the parts of the queue
     * @param worker the worker's id, which its locks carry
     */
    public Acceptor(QueueParts parts, String worker) {
        this.settings = parts.settings();
        this.clock = parts.clock();
        this.feed = parts.feed();
        this.limits = new Limits(parts, worker, this::wake);
        this.unconfirmed =
                new UnconfirmedClaims(parts.clock()::nanos, parts.store().environment());
        this.claimer = new Claimer(parts, limits, unconfirmed);
        this.store = parts.store();
        this.worker = worker;
        this.admission = new Admission(this::wake, store::withData);
        this.candidates = new Candidates(
                parts.index(),
                parts.clock(),
                parts.store().environment(),
                worker,
                type -> admission.rules(settings.get(type).classes()),
                new AdmissionCache(admission, parts.clock()::nanos));
    }

    /**
     * Claims due jobs, waiting for one if there is none. When the time runs out while claims are lost to others, a few
     * more are tried.
     *
     * @param options which and how many jobs, and how long to wait
     * @return the jobs, owned by this worker; empty when the time is over
     * @throws InterruptedException when interrupted while waiting
     * @throws IllegalStateException when it is closed, before or meanwhile
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be asked
     */
    public List<LeasedJob> accept(AcceptOptions options) throws InterruptedException {
        try {
            return acceptNow(options);
        } catch (CouchJobsException trouble) {
            throw noted(trouble);
        }
    }

    private List<LeasedJob> acceptNow(AcceptOptions options) throws InterruptedException {
        long started = clock.nanos();
        Backoff lostRaces = lostRaces();
        while (true) {
            Optional<Pick> pick = pick(options, started);
            if (pick.isEmpty()) {
                return List.of();
            }
            List<LeasedJob> won = claim(pick.get().jobs, options);
            if (!won.isEmpty() || (isOver(options, started) && lostRaces.attempts() >= MOST_LOST_RACES)) {
                return won;
            }
            lostRaces.pause();
        }
    }

    /**
     * Waits for due jobs and takes them out of the known ones, to be claimed by {@link #claim} at once.
     *
     * @param options which and how many jobs, and how long to wait
     * @return the jobs, at least one; empty when the time is over
     * @throws InterruptedException when interrupted while waiting
     * @throws IllegalStateException when it is closed, before or meanwhile
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be asked
     */
    public Optional<Pick> pick(AcceptOptions options) throws InterruptedException {
        try {
            return pick(options, clock.nanos());
        } catch (CouchJobsException trouble) {
            throw noted(trouble);
        }
    }

    /**
     * Claims jobs, in one request if possible.
     *
     * @param pick the picked jobs
     * @return those that this worker owns now; the rest are lost to others, or have no room at the moment
     * @throws io.couchjobs.couch.config.CouchException when the results of some claims are unknown; stored claims are
     *     given back
     */
    public List<LeasedJob> claim(Pick pick) {
        try {
            return claim(pick.jobs, pick.options);
        } catch (CouchJobsException trouble) {
            throw noted(trouble);
        }
    }

    /**
     * Puts picked jobs back that will not be claimed.
     *
     * @param pick the picked jobs, which were not claimed
     */
    public void putBack(Pick pick) {
        candidates.putBack(pick.jobs, List.of());
        candidates.answered(pick.jobs);
    }

    private CouchJobsException noted(CouchJobsException trouble) {
        store.claimTroubles().failed(worker, trouble);
        return trouble;
    }

    /** {@return the pauses of a worker that loses every claim to others} */
    public Backoff lostRaces() {
        return new Backoff(store.environment(), Duration.ofMillis(2), Duration.ofMillis(250));
    }

    private Optional<Pick> pick(AcceptOptions options, long started) throws InterruptedException {
        listen();
        boolean certain = false;
        while (true) {
            long seen = changeCount();
            long seenUnread = unreadCount();
            List<String> open = openTypes(options);
            Capacity capacity = unconfirmed.except(limits.groupsWithRoom(open));
            List<Job> choice = candidates.take(open, options, !certain, capacity);
            if (!choice.isEmpty()) {
                return Optional.of(new Pick(choice, options));
            }
            store.claimTroubles().over(worker);
            if (!isOver(options, started)) {
                askTheTime(open, options, capacity);
                Duration look = shorter(untilWorthALook(open, options, capacity), limits.pause(options.types()));
                await(shorter(left(options, started), shorter(look, unconfirmed.pause())), options, seen, seenUnread);
                doubtNowAndThen();
            } else if (certain) {
                return Optional.empty();
            } else {
                certain = true;
                candidates.doubt();
            }
        }
    }

    /** {@return how many claims were lost to others so far} */
    public long conflicts() {
        return conflicts.sum();
    }

    /**
     * Sets the group from which this worker took last, in an earlier process: turns between groups ({@link
     * Strategy#fair}) go on after it. To be called before the first accept.
     *
     * @param group the group
     */
    public void goOnAfter(String group) {
        candidates.goOnAfter(group);
    }

    /**
     * Lets turns between groups begin at any of them: the last first group is unknown. To be called before the first
     * accept.
     */
    public void beginAnywhere() {
        candidates.beginAnywhere();
    }

    /** {@return the group from which this worker took last, by turns; empty when it never did. Never waits} */
    public Optional<String> lastGroup() {
        return candidates.lastGroup();
    }

    /** {@return which jobs are admitted; changes hold from the next claim on} */
    public Admission admission() {
        return admission;
    }

    @Override
    public void changed(FeedEvent event) {
        boolean more = limits.changed(event);
        if (candidates.changed(event) || more) {
            wake();
        }
    }

    /** While a caller waits for a job, each may be the one; a busy worker reads the index when it knows no due job. */
    @Override
    public boolean needsDocument(FeedNotice notice) {
        return JobId.fromDocId(notice.docId())
                .map(JobId::type)
                .filter(type -> limits.needsDocuments(type)
                        || (!notice.own() && (awaiting.contains(type) || candidates.needsDocuments(type))))
                .isPresent();
    }

    @Override
    public void unread(FeedNotice notice) {
        JobId.fromDocId(notice.docId())
                .filter(id -> candidates.unread(id.type(), notice))
                .ifPresent(id -> wakeUnread());
    }

    @Override
    public void gap() {
        candidates.forgetAll();
        limits.forget();
        wake();
    }

    private synchronized void wake() {
        changes++;
        notifyAll();
    }

    private synchronized void wakeUnread() {
        unreadChanges++;
        notifyAll();
    }

    private synchronized long unreadCount() {
        return unreadChanges;
    }

    /** Stops listening, and ends the accepts that wait. */
    @Override
    public synchronized void close() {
        closed = true;
        store.claimTroubles().over(worker);
        if (listening != null) {
            listening.close();
        }
        wake();
    }

    /** The feed's position is taken here, before the index is read for the first time. */
    private void listen() {
        if (begin() && candidates.isInDoubtOfOthers()) {
            candidates.load(store.database()); // outside of the monitor, for which the feed could have to wait
        }
    }

    private synchronized boolean begin() {
        if (listening == null && !closed) {
            listening = feed.listen(this);
            doubtedNanos = clock.nanos();
        }
        return !closed;
    }

    private synchronized long changeCount() {
        if (closed) {
            throw new IllegalStateException("the queue is closed; no more jobs are accepted");
        }
        return changes;
    }

    private List<String> openTypes(AcceptOptions options) {
        return options.types().stream()
                .filter(type -> !settings.get(type).isPaused() && limits.isOpen(type))
                .toList();
    }

    private List<LeasedJob> claim(List<Job> choice, AcceptOptions options) {
        try {
            List<Limits.Grant> granted = limits.grant(choice);
            candidates.putBack(choice, granted);
            if (granted.isEmpty()) {
                return List.of();
            }
            Claimer.Claims claims = claimer.claim(granted, worker, options.start());
            noteUnlessItFails(granted, claims, options.strategy());
            return claims.won();
        } catch (RuntimeException | Error e) {
            candidates.forget();
            wake();
            throw e;
        } finally {
            candidates.answered(choice);
        }
    }

    /** The claims that were won are owned, and are handed out even when a later step fails. */
    private void noteUnlessItFails(List<Limits.Grant> granted, Claimer.Claims claims, Strategy strategy) {
        try {
            note(granted, claims, strategy);
        } catch (RuntimeException | Error e) {
            log.warn(
                    "{} claimed jobs are handed out, but their claims could not be noted",
                    claims.won().size(),
                    e);
            candidates.forget();
            wake();
        }
    }

    private void note(List<Limits.Grant> granted, Claimer.Claims claims, Strategy strategy) {
        conflicts.add(claims.lost().size());
        List<Job> lost = claims.lost().stream().map(Limits.Grant::job).toList();
        candidates.claimed(granted.stream().map(Limits.Grant::job).toList(), lost, strategy);
        claims.lost().forEach(grant -> {
            log.debug("lost the race for {}; going on with others", grant.job().id());
            limits.lost(grant);
            store.listener().claimLost(grant.job());
        });
        tellWon(granted, claims.won());
        store.claimTroubles().over(worker);
    }

    private void tellWon(List<Limits.Grant> granted, List<LeasedJob> won) {
        if (store.listener() != QueueListener.NONE) {
            Map<JobId, LeasedJob> byId =
                    won.stream().collect(Collectors.toMap(LeasedJob::id, Function.identity(), (one, same) -> one));
            granted.stream().filter(grant -> byId.containsKey(grant.job().id())).forEach(grant -> {
                Job claimed = Objects.requireNonNull(byId.get(grant.job().id())).job();
                store.listener().claimed(grant.job(), claimed);
            });
        }
    }

    private boolean isOver(AcceptOptions options, long started) {
        Duration left = left(options, started);
        return left.isZero() || left.isNegative();
    }

    private Duration left(AcceptOptions options, long started) {
        return options.timeout()
                .map(patience -> patience.minusNanos(clock.nanos() - started))
                .orElse(FALLBACK);
    }

    /**
     * The difference of a wrong clock is known to two seconds only: asking pays off around the time when a job falls
     * due.
     */
    private void askTheTime(List<String> types, AcceptOptions options, Capacity capacity) {
        Duration doubt = clock.doubt();
        if (doubt.compareTo(SHARP) > 0
                && candidates.pause(types, options, capacity).compareTo(doubt) < 0
                && mayAsk()) {
            try {
                clock.ask();
            } catch (CouchException e) {
                log.debug("the server does not tell its time; jobs may run two seconds late: {}", e.toString());
            }
        }
    }

    /** Limits how often the server is asked: it may be too slow to tell its time more exactly. */
    private synchronized boolean mayAsk() {
        long now = clock.nanos();
        if (now - askedNanos > FORGET_ASKING.toNanos()) {
            asked = 0;
        }
        boolean may = asked == 0 || (asked < MOST_ASKED && now - askedNanos >= ASK_EVERY.toNanos());
        if (may) {
            asked++;
            askedNanos = now;
        }
        return may;
    }

    private Duration untilWorthALook(List<String> types, AcceptOptions options, Capacity capacity) {
        Duration doubt = clock.doubt();
        Duration pause = candidates.pause(types, options, capacity);
        if (doubt.compareTo(SHARP) <= 0) {
            return pause;
        }
        return pause.compareTo(doubt) < 0 ? shorter(pause, ASK_EVERY) : pause.minus(doubt);
    }

    /** A caller that waits only for a moment looks again soon anyway, and counts as busy. */
    private synchronized void await(Duration longest, AcceptOptions options, long seen, long seenUnread)
            throws InterruptedException {
        Duration pause = shorter(longest, LONGEST_SLEEP);
        boolean isIdle = pause.compareTo(MOMENT) > 0;
        long deadline = clock.nanos() + pause.toNanos();
        try {
            if (isIdle) {
                awaiting.begin(options.types());
            }
            while (changes == seen && !(isIdle && unreadChanges != seenUnread) && deadline - clock.nanos() > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, deadline - clock.nanos());
            }
        } finally {
            if (isIdle) {
                awaiting.end(options.types());
            }
        }
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

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Jobs that were found and not yet claimed. Immutable. */
    public static final class Pick {
        private final List<Job> jobs;
        private final AcceptOptions options;

        Pick(List<Job> jobs, AcceptOptions options) {
            this.jobs = jobs;
            this.options = options;
        }

        /** {@return the number of jobs} */
        public int size() {
            return jobs.size();
        }
    }
}

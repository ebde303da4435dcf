package io.couchjobs.store;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds due jobs and claims them, waiting for one if need be. Thread-safe.
 *
 * <p>One round: take candidates from what is known (a window of the index, kept up to date by the feed), claim them in bulk,
 * hand over those that were won; when nothing is due, sleep until the feed brings something, the next job falls due, or the
 * deadline passes. No wake-up is lost: the feed's position was taken before the index was read.
 */
public final class Acceptor implements Feed.Listener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Acceptor.class);
    private static final Duration FALLBACK = Duration.ofMinutes(10);
    private static final Duration INDEX_BEHIND = Duration.ofMillis(100);
    private static final Duration POLITENESS = Duration.ofMillis(20);
    private static final Duration MOMENT = Duration.ofMillis(5);
    private static final int MOST_POLITE = 10;
    private static final int WINDOW = 200;
    private static final int WIDEST = 64;

    private final JobIndex index;
    private final Claimer claimer;
    private final SettingsStore settings;
    private final StoreClock clock;
    private final Feed feed;
    private final JobStore store;
    private final String worker;
    private final Peers peers;
    private final LongAdder conflicts = new LongAdder();
    private final Map<String, Backlog> backlogs = new HashMap<>();
    private Feed.@Nullable Listening listening;
    private long changes;
    /** From how many times as many candidates a claim picks at random; grows as claims are lost to others. */
    private int spread = 1;

    /**
     * Makes an acceptor for one worker.
     *
     * @param parts what it works with
     * @param worker the worker's id, which its locks carry
     */
    public Acceptor(Parts parts, String worker) {
        this.index = parts.index;
        this.settings = parts.settings;
        this.clock = parts.clock;
        this.feed = parts.feed;
        this.claimer = new Claimer(parts.store, parts.clock, parts.settings::retryPolicyOf);
        this.store = parts.store;
        this.worker = worker;
        this.peers = new Peers(worker);
    }

    /**
     * Claims due jobs, waiting for one if there is none.
     *
     * @param options which and how many jobs, and how long to wait
     * @return the jobs, owned by this worker; empty when the time is over
     * @throws InterruptedException when interrupted while waiting
     * @throws io.couchjobs.couch.CouchException when the database cannot be asked
     */
    public List<ClaimedJob> accept(AcceptOptions options) throws InterruptedException {
        listen();
        long started = clock.nanos();
        boolean certain = false;
        Backoff lostRaces = new Backoff(Duration.ofMillis(2), Duration.ofMillis(250));
        while (true) {
            long seen = changeCount();
            List<String> open = openTypes(options);
            List<Job> candidates = candidates(open, options, !certain);
            List<ClaimedJob> won = candidates.isEmpty() ? List.of() : claim(candidates, options);
            if (!won.isEmpty()) {
                return won;
            }
            if (!candidates.isEmpty()) {
                lostRaces.pause();
                continue;
            }
            Duration left = left(options, started);
            if (left.isZero() || left.isNegative()) {
                if (certain) {
                    return List.of();
                }
                certain = true;
                doubt();
                continue;
            }
            await(open, options, left, seen);
        }
    }

    /** {@return how many claims were lost to others so far} */
    public long conflicts() {
        return conflicts.sum();
    }

    @Override
    public synchronized void changed(FeedEvent event) {
        peers.changed(event);
        Optional<Job> job = event.job();
        if (job.isPresent()) {
            Backlog backlog = backlogs.get(job.get().type());
            if (backlog != null && backlog.changed(job.get(), clock.nanos())) {
                wake();
            }
        } else {
            backlogs.values().forEach(backlog -> backlog.remove(event.docId()));
            if (event.docId().startsWith(TypeSettings.PREFIX)) {
                wake();
            }
        }
    }

    @Override
    public synchronized void gap() {
        doubt();
        wake();
    }

    /** The feed may be a moment behind: before saying that there is nothing, the index is asked. */
    private synchronized void doubt() {
        backlogs.values().forEach(Backlog::doubt);
    }

    private synchronized void wake() {
        changes++;
        notifyAll();
    }

    /** Stops listening. */
    @Override
    public synchronized void close() {
        if (listening != null) {
            listening.close();
        }
    }

    /** The feed's position is taken here, before the index is read for the first time. */
    private synchronized void listen() {
        if (listening == null) {
            listening = feed.listen(this);
            peers.load(store.database());
        }
    }

    private synchronized long changeCount() {
        return changes;
    }

    private List<String> openTypes(AcceptOptions options) {
        return options.types().stream()
                .filter(type -> !settings.get(type).isPaused())
                .toList();
    }

    private List<Job> candidates(List<String> types, AcceptOptions options, boolean polite) {
        if (options.noSchedule()) {
            return unscheduled(types, options.max());
        }
        Instant until = until(options);
        for (String type : types) {
            refillIfDry(type, until);
        }
        return take(types, until, options.max(), polite);
    }

    private List<Job> unscheduled(List<String> types, int max) {
        List<Job> found = new ArrayList<>();
        for (String type : types) {
            backlog(type);
            found.addAll(index.unscheduled(type, UUID.randomUUID().toString(), max));
        }
        return found.subList(0, Math.min(max, found.size()));
    }

    private synchronized Backlog backlog(String type) {
        return backlogs.computeIfAbsent(type, t -> new Backlog());
    }

    private Instant until(AcceptOptions options) {
        return options.latest() == null ? clock.instant() : options.latest();
    }

    private void refillIfDry(String type, Instant until) {
        long begun;
        synchronized (this) {
            if (!backlog(type).mustRefill(until)) {
                return;
            }
            begun = backlog(type).beginRefill();
        }
        try {
            JobIndex.Window due = index.pending(type, WINDOW);
            List<Job> stuck =
                    due.complete() ? List.of() : index.stuck(type, WINDOW).jobs();
            synchronized (this) {
                backlog(type).refill(begun, due, stuck);
            }
        } finally {
            synchronized (this) {
                backlog(type).endRefill();
            }
        }
    }

    /**
     * Takes candidates out of the backlogs: of the oldest ones, first those that are this worker's by rank. With one worker
     * that is the order of their times; with several, each goes through its own share, and nobody fights over the head.
     */
    private synchronized List<Job> take(List<String> types, Instant until, int max, boolean polite) {
        int workers = types.stream().mapToInt(peers::count).max().orElse(1);
        int width = workers == 1 ? max * spread : max * Math.min(WIDEST, 2 * workers * spread);
        List<Job> due = new ArrayList<>();
        for (String type : types) {
            due.addAll(backlog(type).due(until, width));
        }
        if (polite) {
            due.removeIf(this::isLeftToOthers);
        }
        due.sort(Comparator.<Job, Boolean>comparing(job -> job.status() != JobStatus.STUCK)
                .thenComparing(Job::scheduledTime));
        List<Job> choice = new ArrayList<>(due.subList(0, Math.min(due.size(), width)));
        if (choice.size() > max) {
            if (spread > 1) {
                Collections.shuffle(choice);
            }
            choice.sort(Comparator.comparing(job -> peers.rank(job) > 0));
            choice = choice.subList(0, max);
        }
        for (String type : types) {
            backlog(type).removeAll(choice);
        }
        return List.copyOf(choice);
    }

    /** Of an idle fleet one worker takes a new job at once; the others give it a moment, longer by their rank. */
    private boolean isLeftToOthers(Job job) {
        int rank = Math.min(peers.rank(job), MOST_POLITE);
        return rank > 0
                && backlog(job.type()).ageNanos(job, clock.nanos())
                        < POLITENESS.multipliedBy(rank).toNanos();
    }

    private List<ClaimedJob> claim(List<Job> candidates, AcceptOptions options) {
        try {
            Claimer.Claims claims = claimer.claim(candidates, worker, options.start());
            conflicts.add(claims.lost().size());
            synchronized (this) {
                spread = claims.lost().isEmpty() ? Math.max(1, spread - 1) : Math.min(WIDEST, spread * 2);
            }
            claims.lost().forEach(job -> log.debug("lost the race for {}; going on with others", job.id()));
            return claims.won();
        } catch (RuntimeException e) {
            gap();
            throw e;
        }
    }

    private Duration left(AcceptOptions options, long started) {
        return options.timeout()
                .map(patience -> patience.minusNanos(clock.nanos() - started))
                .orElse(FALLBACK);
    }

    private synchronized void await(List<String> types, AcceptOptions options, Duration left, long seen)
            throws InterruptedException {
        Duration pause = shorter(left, FALLBACK);
        for (String type : types) {
            pause = shorter(pause, untilDue(type, options));
        }
        long deadline = clock.nanos() + pause.toNanos();
        while (changes == seen && deadline - clock.nanos() > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, deadline - clock.nanos());
        }
        if (pause.equals(FALLBACK) && changes == seen) {
            doubt();
        }
    }

    /** How long a type can be left alone: until its next job falls due, or a moment when its index is behind. */
    private Duration untilDue(String type, AcceptOptions options) {
        Instant now = clock.instant();
        if (!options.noSchedule() && backlog(type).mustRefill(until(options))) {
            return INDEX_BEHIND;
        }
        return options.latest() != null || options.noSchedule()
                ? FALLBACK
                : backlog(type)
                        .nextTime()
                        .map(next ->
                                next.isAfter(now) ? Duration.between(now, next).plusMillis(1) : MOMENT)
                        .orElse(FALLBACK);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * What an acceptor works with. Immutable.
     *
     * @param store where the jobs are
     * @param index what finds them
     * @param settings the settings of their types
     * @param feed what tells of changes
     * @param clock the clocks
     */
    public record Parts(JobStore store, JobIndex index, SettingsStore settings, Feed feed, StoreClock clock) {}
}

package io.couchjobs.engine.conflict;

import io.couchjobs.couch.ConflictStats;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.feed.PatientListener;
import io.couchjobs.engine.index.ConflictedDocuments;
import io.couchjobs.engine.index.IndexPatience;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.ConflictOutcome;
import io.couchjobs.engine.store.Conflicts;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves conflicts in the background, a few at a time. Conflicts that a caller met are resolved at once. Conflicts
 * from the feed are resolved after a second or more, if they still exist, because the processes that made them try
 * first. While a worker runs in this process, all conflicts in the index are resolved every five minutes. Thread-safe;
 * remembers a bounded number of conflicts, and the index has the rest.
 */
public final class ConflictWatch implements Conflicts, PatientListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConflictWatch.class);
    private static final int MOST = 10_000;
    private static final int MOST_TRIES = 8;
    /** The most conflicts that are resolved at once. Each needs several requests, and waits for the answers most of the time. */
    private static final int MOST_AT_ONCE = 4;

    private static final Duration BY_OTHERS = Duration.ofSeconds(1);
    private static final Duration MOST_BY_OTHERS = Duration.ofSeconds(2);
    private static final Duration SWEEP_EVERY = Duration.ofMinutes(5);
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private final ServerClock clock;
    private final Environment environment;
    private final Resolver resolver;
    private final AbandonedClaims abandoned;
    private final JobIndex index;
    private final IndexPatience patience;
    private final LongAdder troubled = new LongAdder();
    private final Map<String, Planned> planned = new HashMap<>();
    private final Lane lane;
    private final Alarm sweep;
    /** The last job of the page that was swept, when the index has more. */
    private volatile Optional<JobId> swept = Optional.empty();

    private boolean closed;

    /** Watches the conflicts of a queue. Does no I/O. */
    public ConflictWatch(JobWriter writer, JobIndex index, SettingsStore settings, ServerClock clock) {
        this.clock = clock;
        this.abandoned = new AbandonedClaims(writer, settings, clock);
        this.index = index;
        this.resolver = new Resolver(writer, clock, abandoned);
        this.environment = writer.environment();
        this.patience = new IndexPatience(index, environment);
        this.lane = environment.lane("couchjobs-conflicts", MOST_AT_ONCE);
        this.sweep = new Alarm(lane, this::sweep);
    }

    @Override
    public void look(JobId id) {
        plan(id.docId(), Duration.ZERO, resolver::resolve, 0);
    }

    @Override
    public void changed(FeedEvent event) {
        boolean withdrawn = event.job().filter(Job::isWithdrawn).isPresent();
        boolean isOurs = event.docId().startsWith(DocIds.JOB) || DocIds.isBesideJobs(event.docId());
        boolean isConflict = event.conflicted() || withdrawn;
        if (isOurs && (isConflict || mayBeGone(event))) {
            Resolving resolving = isConflict ? resolver::resolve : docId -> resolver.resolveGone(docId, event.rev());
            plan(event.docId(), BY_OTHERS.plus(random(MOST_BY_OTHERS)), resolving, 0);
        }
    }

    /**
     * Returns whether a job may have been removed although readers see a live leaf. Readers see no tombstone beside a
     * live leaf, not even that of a removal. Claimers and owners check all leaves of their jobs; workers check the
     * leaves of other jobs.
     */
    private boolean mayBeGone(FeedEvent event) {
        return event.leaves().size() > 1
                && abandoned.hasOwners()
                && event.job().filter(job -> !job.status().isLocked()).isPresent();
    }

    /**
     * Returns whether the document may have several leaves. With one leaf there is nothing to resolve, except a
     * withdrawn claim, which only clusters can have.
     */
    @Override
    public boolean needsDocument(FeedNotice notice) {
        return notice.mayBeConflicted();
    }

    /** Does nothing: the sweep finds conflicts that were missed. */
    @Override
    public void gap() {}

    /**
     * Notes that a worker begins in this process. From now on the index is queried for conflicts, first after a moment
     * and then every five minutes. A query waits while very many changes are not indexed; see {@link IndexPatience}.
     *
     * @return ends the queries when closed, if no other worker runs here
     */
    @Override
    public Listening join(Owner owner) {
        abandoned.join(owner);
        sweep.within(BY_OTHERS.plus(random(MOST_BY_OTHERS)));
        return () -> abandoned.leave(owner);
    }

    public ConflictStats stats() {
        synchronized (planned) {
            return new ConflictStats(resolver.resolved(), resolver.undecided(), troubled.sum(), planned.size());
        }
    }

    /** {@return the {@code _id}s of the queue's documents that have conflicts, jobs before other documents; at most 1000} */
    public List<String> open() {
        return index.conflicted().first();
    }

    /**
     * Resolves the conflict of a document now, as far as can be known.
     *
     * @return whether the conflict is settled
     */
    public boolean resolve(String docId) {
        ConflictOutcome outcome = resolver.resolveShown(docId);
        return outcome == ConflictOutcome.SETTLED || outcome == ConflictOutcome.RESOLVED;
    }

    @Override
    public void close() {
        synchronized (planned) {
            closed = true;
            planned.clear();
        }
        lane.close();
    }

    /** Plans a resolution. When there are several requests for a document, the earliest counts. */
    private void plan(String docId, Duration pause, Resolving resolving, int tries) {
        synchronized (planned) {
            long at = clock.nanos() + pause.toNanos();
            Planned before = planned.get(docId);
            boolean isFull = before == null && planned.size() >= MOST;
            if (closed || isFull || (before != null && before.nanos - at <= 0)) {
                return;
            }
            if (before != null) {
                before.task.cancel();
                planned.remove(docId);
            }
            var soon = lane.schedule(pause, () -> attempt(docId, resolving, tries));
            planned.put(docId, new Planned(at, soon));
        }
    }

    private void attempt(String docId, Resolving resolving, int tries) {
        synchronized (planned) {
            planned.remove(docId);
        }
        try {
            ConflictOutcome outcome = resolving.resolve(docId);
            if (outcome == ConflictOutcome.OPEN) {
                again(docId, resolving, tries);
            } else if (outcome == ConflictOutcome.UNDECIDED && abandoned.hasOwners()) {
                plan(docId, AGAIN.plus(random(AGAIN)), resolving, 0);
            }
        } catch (RuntimeException | Error trouble) {
            troubled.increment();
            log.debug("the conflict of {} is resolved later: {}", docId, trouble.toString());
            again(docId, resolving, tries);
        }
    }

    private void again(String docId, Resolving resolving, int tries) {
        if (tries < MOST_TRIES) {
            Duration pause = Duration.ofMillis(250L << tries);
            plan(docId, pause.plus(random(pause)), resolving, tries + 1);
        }
    }

    private void sweep() {
        if (!abandoned.hasOwners()) {
            swept = Optional.empty();
            return;
        }
        Duration next = SWEEP_EVERY.plus(random(BY_OTHERS.multipliedBy(30)));
        try {
            if (patience.waits()) {
                next = AGAIN;
            } else {
                next = sweepPage() ? BY_OTHERS : next;
            }
        } catch (RuntimeException | Error trouble) {
            troubled.increment();
            log.debug("the index cannot be asked for conflicts: {}", trouble.toString());
        } finally {
            sweep.within(next);
        }
    }

    /** {@return whether the index may have more conflicts} */
    private boolean sweepPage() {
        if (!hasRoom()) {
            return true;
        }
        ConflictedDocuments conflicted = index.conflicted();
        List<String> jobs = conflicted.jobs(swept);
        List<String> others = swept.isEmpty() ? conflicted.besideJobs() : List.of();
        Stream.concat(jobs.stream(), others.stream())
                .forEach(docId -> plan(docId, random(BY_OTHERS), resolver::resolveShown, 0));
        swept = ConflictedDocuments.isFull(jobs) ? JobId.fromDocId(jobs.get(jobs.size() - 1)) : Optional.empty();
        return swept.isPresent();
    }

    private boolean hasRoom() {
        synchronized (planned) {
            return planned.size() < MOST / 2;
        }
    }

    private Duration random(Duration most) {
        return Duration.ofNanos(environment.random().nextLong(most.toNanos()));
    }

    private record Planned(long nanos, Lane.Planned task) {}

    @FunctionalInterface
    private interface Resolving {
        ConflictOutcome resolve(String docId);
    }
}

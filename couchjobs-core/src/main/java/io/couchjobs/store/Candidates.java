package io.couchjobs.store;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The jobs that a process may try to claim: for each type a window of the index, kept up to date by the feed. Thread-safe.
 *
 * <p>Of the oldest jobs a worker takes first those that are its own by rank: with one worker that is the order of their
 * times; with several, each goes through its own share, and nobody fights over the head.
 */
final class Candidates {
    private static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration INDEX_BEHIND = Duration.ofMillis(100);
    private static final Duration POLITENESS = Duration.ofMillis(20);
    private static final Duration MOMENT = Duration.ofMillis(5);
    private static final int MOST_POLITE = 10;
    private static final int WINDOW = 200;
    private static final int WIDEST = 64;

    private final JobIndex index;
    private final StoreClock clock;
    private final Peers peers;
    private final Map<String, Backlog> backlogs = new HashMap<>();
    /** From how many times as many candidates a claim picks at random; grows as claims are lost to others. */
    private int spread = 1;

    Candidates(JobIndex index, StoreClock clock, String worker) {
        this.index = index;
        this.clock = clock;
        this.peers = new Peers(worker);
    }

    /** Takes in who else is there; what changes from then on comes by {@link #changed}. */
    void load(CouchDatabase database) {
        peers.load(database);
    }

    /** Takes in what the feed tells; true when there may now be something to claim. */
    synchronized boolean changed(FeedEvent event) {
        peers.changed(event);
        Optional<Job> job = event.job();
        if (job.isPresent()) {
            Backlog backlog = backlogs.get(job.get().type());
            return backlog != null && backlog.changed(job.get(), clock.nanos());
        }
        backlogs.values().forEach(backlog -> backlog.remove(event.docId()));
        return event.docId().startsWith(TypeSettings.PREFIX);
    }

    /** The feed may be a moment behind: before saying that there is nothing, the index is asked. */
    synchronized void doubt() {
        backlogs.values().forEach(Backlog::doubt);
    }

    /** Changes may have been missed, of whatever kind. */
    synchronized void forget() {
        backlogs.values().forEach(Backlog::forget);
    }

    /** As {@link #forget}, and who else is there: the living tell again. */
    void forgetAll() {
        peers.forget();
        forget();
    }

    /**
     * Takes out jobs to claim.
     *
     * @param types the types that may be claimed now
     * @param polite whether to leave new jobs for a moment to the workers whose they are by rank
     * @param admits whether a job may be claimed now; those that may not are left where they are
     */
    List<Job> take(Collection<String> types, AcceptOptions options, boolean polite, Predicate<Job> admits) {
        if (options.noSchedule()) {
            return unscheduled(types, options.max(), admits);
        }
        Instant until = until(options);
        for (String type : types) {
            refillIfDry(type, until);
        }
        return choose(types, until, options.max(), polite, admits);
    }

    /** Those of the jobs taken out that were not admitted to be claimed are there to be taken again. */
    synchronized void putBack(List<Job> choice, List<Limits.Grant> granted) {
        if (granted.size() == choice.size()) {
            return;
        }
        Set<JobId> gone = new HashSet<>();
        granted.forEach(grant -> gone.add(grant.job().id()));
        choice.stream().filter(job -> !gone.contains(job.id())).forEach(job -> backlog(job.type())
                .putBack(job));
    }

    /** How long there will be nothing to take, as far as is known now, and nothing changes. */
    synchronized Duration pause(Collection<String> types, AcceptOptions options, Predicate<Job> admits) {
        return types.stream()
                .map(type -> pause(type, options, admits))
                .min(Comparator.naturalOrder())
                .orElse(NEVER);
    }

    /** The more claims were lost to others, the more they are spread. */
    synchronized void claimed(int lost) {
        spread = lost == 0 ? Math.max(1, spread - 1) : Math.min(WIDEST, spread * 2);
    }

    private Duration pause(String type, AcceptOptions options, Predicate<Job> admits) {
        if (!options.noSchedule() && backlog(type).mustRefill(until(options))) {
            return INDEX_BEHIND;
        }
        return options.latest() != null || options.noSchedule()
                ? NEVER
                : backlog(type).nextTime(admits).map(this::untilDue).orElse(NEVER);
    }

    private Duration untilDue(Instant time) {
        Instant now = clock.instant();
        return time.isAfter(now) ? Duration.between(now, time).plusMillis(1) : MOMENT;
    }

    private List<Job> unscheduled(Collection<String> types, int max, Predicate<Job> admits) {
        Map<JobId, Job> found = new HashMap<>();
        for (String type : types) {
            List<Job> heard = heardOf(type, max, admits);
            List<Job> indexed = index.unscheduled(type, UUID.randomUUID().toString(), max);
            (indexed.isEmpty() ? heard : indexed).stream().filter(admits).forEach(job -> found.put(job.id(), job));
        }
        List<Job> shuffled = new ArrayList<>(found.values());
        Collections.shuffle(shuffled);
        List<Job> choice = shuffled.stream().limit(max).toList();
        takeOut(choice);
        return choice;
    }

    /** The index may be a moment behind what the feed told. */
    private synchronized List<Job> heardOf(String type, int max, Predicate<Job> admits) {
        return backlog(type).due(Instant.EPOCH, max, admits).stream()
                .filter(job -> job.scheduledTime().equals(Instant.EPOCH))
                .toList();
    }

    private Backlog backlog(String type) {
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

    private synchronized List<Job> choose(
            Collection<String> types, Instant until, int max, boolean polite, Predicate<Job> admits) {
        int workers = types.stream().mapToInt(peers::count).max().orElse(1);
        int width = workers == 1 ? max * spread : max * Math.min(WIDEST, 2 * workers * spread);
        List<Job> due = new ArrayList<>();
        for (String type : types) {
            due.addAll(backlog(type).due(until, width, admits));
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
        takeOut(choice);
        return List.copyOf(choice);
    }

    private synchronized void takeOut(List<Job> choice) {
        Set<String> types = new HashSet<>();
        choice.forEach(job -> types.add(job.type()));
        types.forEach(type -> backlog(type).removeAll(choice));
    }

    /** Of an idle fleet one worker takes a new job at once; the others give it a moment, longer by their rank. */
    private boolean isLeftToOthers(Job job) {
        int rank = Math.min(peers.rank(job), MOST_POLITE);
        return rank > 0
                && backlog(job.type()).age(job, clock.instant(), clock.nanos()).compareTo(POLITENESS.multipliedBy(rank))
                        < 0;
    }
}

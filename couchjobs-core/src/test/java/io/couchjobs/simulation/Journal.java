package io.couchjobs.simulation;

import io.couchjobs.embedded.cluster.VirtualTime;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What happened, in order: the runs of handlers, what creators were told, and the faults. */
final class Journal implements Watcher {
    /** Longer than a request is on its way. */
    private static final long REQUEST = TimeUnit.SECONDS.toMicros(10);

    private final VirtualTime time;
    private final List<Line> lines = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();
    private final Set<JobId> added = new HashSet<>();
    private final Set<JobId> onlyInserted = new HashSet<>();
    private final Map<JobId, List<Removal>> removed = new HashMap<>();
    private final Set<JobId> cancelled = new HashSet<>();
    private final List<Silence> silences = new ArrayList<>();
    private final Map<JobId, List<Ask>> asks = new HashMap<>();
    private final Map<JobId, JobId> predecessors = new HashMap<>();
    /** How items of chunks have ended, as a quorum has confirmed. */
    private final Map<JobId, Map<Integer, Set<JobStatus>>> items = new HashMap<>();

    private final Set<JobId> retired = new HashSet<>();
    private final List<Expiry> expiries = new ArrayList<>();
    private final List<Told> told = new ArrayList<>();
    private final List<String> forgotten = new ArrayList<>();

    Journal(VirtualTime time) {
        this.time = time;
    }

    /** Something that happened; nobody reads most of them. */
    private record Line(long at, String who, String what) {
        @Override
        public String toString() {
            return String.format("%12.6f %s %s", at / 1e6, who, what);
        }
    }

    /** How a run ended. */
    enum End {
        /** The handler's success is stored. */
        SUCCEEDED,
        /** Another end that the owner wanted is stored: the job is to be run again. */
        GAVE_UP,
        /** The owner has learnt, or has decided, that it owns the job no more. */
        HALTED,
        /** The owner was killed. */
        KILLED
    }

    /** A creator was told that a job is not to run for a while. */
    record Silence(JobId job, String why, long from, long until) {
        boolean isBrokenBy(Run run) {
            return run.job.equals(job) && !run.onlyEnds && run.claimed > from && run.started < until;
        }
    }

    /** An attempt to add a job, which may be there already. */
    static final class Ask {
        final long from;
        /** Without an answer it may take effect at any time: the node that has it may be cut off. */
        long until = Long.MAX_VALUE;
        /** Whether its creator was told that the job is to be run from now on. */
        boolean promised;

        private Ask(long from) {
            this.from = from;
        }
    }

    /**
     * A monitor took a job from its owner, or may have.
     *
     * @param base the revision by which the owner has it
     * @param isUnconfirmed whether the monitor was answered that fewer copies than a quorum have taken it
     */
    record Expiry(SimulatedProcess by, JobId job, String base, long fence, long at, boolean isUnconfirmed) {
        private Expiry unconfirmed() {
            return new Expiry(by, job, base, fence, at, true);
        }
    }

    /**
     * Somebody who waits for a job, or owned it, was told that it had ended.
     *
     * @param status null when it was told that the job was removed
     * @param result what the run came to, if it is a success
     * @param attempt the number of the run after which it ended
     * @param since the moment that the end was written for, by the clock of its writer
     */
    record Told(String who, JobId job, @Nullable JobStatus status, String result, int attempt, Instant since, long at) {
        private static Told of(String who, JobId id, Optional<Job> job, long at) {
            return new Told(
                    who,
                    id,
                    job.map(Job::status).orElse(null),
                    job.map(Told::result).orElse(""),
                    job.map(Job::attempt).orElse(0),
                    job.map(Job::times)
                            .map(times -> times.getOrDefault("finished", Instant.EPOCH))
                            .orElse(Instant.EPOCH),
                    at);
        }

        private static String result(Job job) {
            return job.result().map(result -> result.asText()).orElse("");
        }

        /** Whether it is the end of a job: of the same run, in the same way. */
        boolean isEndOf(Job now) {
            return now.status() == status
                    && now.attempt() == attempt
                    && result(now).equals(result);
        }

        @Override
        public String toString() {
            return who + " at " + at + ": " + job + " "
                    + (status == null ? "removed" : status + " " + result + " after attempt " + attempt);
        }
    }

    /** An attempt to remove a job. */
    static final class Removal {
        final long from;
        private long until = Long.MAX_VALUE;
        boolean answered;

        private Removal(long from) {
            this.from = from;
        }
    }

    /** One run of a handler. Times are in microseconds. */
    static final class Run {
        final JobId job;
        /** The revision that the claim made. */
        final String rev;

        final String token;
        final long fence;
        final String worker;
        final long started;
        /** When the claim was sent. */
        final long claimed;
        /** How many owners were declared dead since the job was made. */
        final int expirations;

        /** Whether the job was claimed to be ended, and no handler runs. */
        final boolean onlyEnds;

        /** Until when the owner may believe that it owns the job. */
        private long leaseUntil;

        /** From when until when its lease was over, and brought back by a renewal that was confirmed then. */
        private final List<long[]> lapses = new ArrayList<>();

        /** When the handler had done its work. */
        long worked = Long.MAX_VALUE;

        /** When the owner had heard that its end is stored. */
        long told = Long.MAX_VALUE;

        End end = End.KILLED;

        Run(LeasedJob claim, String worker, long started) {
            this.job = claim.id();
            this.rev = claim.job().rev().orElseThrow();
            this.token = claim.token();
            this.fence = claim.fence();
            this.expirations = claim.job().expirations();
            this.onlyEnds = claim.isOnlyToEnd();
            this.worker = worker;
            this.started = started;
            this.claimed = TimeUnit.NANOSECONDS.toMicros(claim.confirmedNanos());
        }

        /** A renewal was confirmed. */
        private void extend(long until, long now) {
            if (now > leaseUntil && until > leaseUntil && leaseUntil > 0) {
                lapses.add(new long[] {leaseUntil, now});
            }
            leaseUntil = Math.max(leaseUntil, until);
        }

        /** Whether the owner may have believed so then. */
        boolean isOwnedAt(long time) {
            return started <= time
                    && time < ownedUntil()
                    && lapses.stream().noneMatch(lapse -> lapse[0] <= time && time < lapse[1]);
        }

        /** Whether a monitor that read the job while its lease was over may write that now. */
        boolean hadLapsedBefore(long time) {
            return lapses.stream().anyMatch(lapse -> lapse[1] <= time && time < lapse[1] + REQUEST);
        }

        /** Whether the end that the owner wanted is stored. */
        boolean isDone() {
            return end == End.SUCCEEDED || end == End.GAVE_UP;
        }

        long ownedUntil() {
            return Math.min(worked, leaseUntil);
        }

        @Override
        public String toString() {
            return job + (onlyEnds ? " (only to end)" : "") + " fence " + fence + " by " + worker + " ("
                    + token.substring(0, 8) + ") from " + started + " to " + ownedUntil() + ", " + end;
        }
    }

    Run started(LeasedJob claim, String worker) {
        Run run = new Run(claim, worker, time.now());
        runs.add(run);
        note(
                worker,
                (run.onlyEnds ? "is-to-end " : "starts ") + run.job + " fence " + run.fence + " token " + run.token
                        + " as " + run.rev);
        return run;
    }

    void extended(Run run, long leaseUntil) {
        run.extend(leaseUntil, time.now());
    }

    void ended(Run run, End end, String why) {
        run.end = end;
        run.told = time.now();
        run.worked = Math.min(run.worked, time.now());
        note(run.worker, end + " " + run.job + " fence " + run.fence + ": " + why);
    }

    /** An owner was told that these ends of items are stored. */
    void itemsEnded(JobId chunk, Map<Integer, JobStatus> ended) {
        Map<Integer, Set<JobStatus>> known = items.computeIfAbsent(chunk, any -> new HashMap<>());
        ended.forEach((item, how) -> known.computeIfAbsent(item, any -> EnumSet.noneOf(JobStatus.class))
                .add(how));
        note("journal", "items-ended " + chunk + " " + ended);
    }

    Map<Integer, Set<JobStatus>> items(JobId chunk) {
        return items.getOrDefault(chunk, Map.of());
    }

    void added(JobId id) {
        added.add(id);
    }

    /** The job waits for the end of the other one. */
    void comesAfter(JobId id, JobId predecessor) {
        predecessors.put(id, predecessor);
    }

    /** {@return the job that a run has to wait for} */
    Optional<JobId> predecessor(Run run) {
        return Optional.ofNullable(predecessors.get(run.job));
    }

    /** Whatever is done to the job, is done by creators who want it to be new. */
    void onlyInserted(JobId id) {
        onlyInserted.add(id);
    }

    boolean isOnlyInserted(JobId id) {
        return onlyInserted.contains(id);
    }

    /** Somebody tries to remove it, with whatever success. */
    Removal removing(JobId id) {
        Removal removal = new Removal(time.now());
        removed.computeIfAbsent(id, any -> new ArrayList<>()).add(removal);
        return removal;
    }

    /** Somebody tries to add it, with whatever success. */
    Ask asking(JobId id) {
        Ask ask = new Ask(time.now());
        asks.computeIfAbsent(id, any -> new ArrayList<>()).add(ask);
        return ask;
    }

    /** The adding was answered. */
    void answered(Ask ask, boolean promised) {
        ask.until = time.now();
        ask.promised = promised;
    }

    List<Ask> asks(JobId id) {
        return asks.getOrDefault(id, List.of());
    }

    /** {@return the jobs that somebody tried to add, in a fixed order} */
    List<JobId> asked() {
        return asks.keySet().stream()
                .sorted(Comparator.comparing(JobId::toString))
                .toList();
    }

    List<Removal> removals(JobId id) {
        return removed.getOrDefault(id, List.of());
    }

    /** Retention tries to delete it, with whatever success. */
    void retired(JobId id) {
        retired.add(id);
        note("retention", "retires " + id);
    }

    boolean isRetired(JobId id) {
        return retired.contains(id);
    }

    @Override
    public void sending(Exchange exchange) {
        exchange.sent().stream()
                .filter(sent -> sent.what() == Sent.What.EXPIRY)
                .forEach(expiry -> expired(exchange.process(), expiry));
        exchange.sent().stream().filter(Sent::isAsked).map(Sent::job).forEach(this::askedAgain);
    }

    /** An add whose first answer was lost counts twice when it finds the job claimed, or ended. */
    void askedAgain(JobId id) {
        onlyInserted.remove(id);
    }

    /** A monitor that hears of a conflict has taken nothing: the owner was alive. */
    @Override
    public void answered(Exchange exchange, Answer answer) {
        exchange.sent().stream().filter(sent -> sent.what() == Sent.What.EXPIRY).forEach(sent -> {
            Predicate<Expiry> same =
                    expiry -> expiry.by() == exchange.process() && expiry.base().equals(sent.base());
            if (answer.refuses(sent.job())) {
                expiries.removeIf(same);
            } else if (answer.isUnconfirmed()) {
                expiries.replaceAll(expiry -> same.test(expiry) ? expiry.unconfirmed() : expiry);
            }
        });
    }

    private void expired(SimulatedProcess by, Sent expiry) {
        expiries.add(new Expiry(by, expiry.job(), expiry.base(), expiry.fence(), time.now(), false));
        note(by, "expires " + expiry.job() + " fence " + expiry.fence() + " of " + expiry.base());
    }

    List<Expiry> expiries() {
        return expiries;
    }

    void told(String who, JobChange end) {
        Told one = Told.of(who, end.id(), end.job(), time.now());
        told.add(one);
        note(who, "is-told " + end.id() + " " + one.status() + " " + one.result());
    }

    /** At the end of the world somebody has not been told yet. */
    void waitsInVain(String subscriber, JobId id) {
        forgotten.add(subscriber + ": " + id);
        note(subscriber, "waits-in-vain " + id);
    }

    List<String> forgotten() {
        return forgotten;
    }

    List<Told> told() {
        return told;
    }

    /** The removal has come to its end; without an answer it may take effect a little later. */
    void ended(Removal removal, boolean answered) {
        removal.answered = answered;
        removal.until = time.now() + (answered ? 0 : REQUEST);
    }

    /** Somebody tried to cancel it, with whatever success. */
    void cancelled(JobId id) {
        cancelled.add(id);
    }

    /** A creator was just told so. */
    void notToRun(JobId id, String why, Duration duration) {
        silences.add(new Silence(id, why, time.now(), time.now() + TimeUnit.NANOSECONDS.toMicros(duration.toNanos())));
        note("journal", "not-to-run " + id + ": " + why);
    }

    List<Silence> silences() {
        return silences;
    }

    void note(Object who, String what) {
        lines.add(new Line(time.now(), who.toString(), what));
    }

    List<String> lines() {
        return lines.stream().map(Line::toString).toList();
    }

    List<Run> runs() {
        return runs;
    }

    Set<JobId> added() {
        return added;
    }

    boolean isRemoved(JobId id) {
        return removed.containsKey(id);
    }

    /** Whether somebody tried to remove a job while a run lasted, which may not have known yet when another began. */
    boolean isRemovedDuring(Run run) {
        return removed.getOrDefault(run.job, List.of()).stream()
                .anyMatch(removal -> removal.until >= run.started && removal.from <= run.worked);
    }

    Set<JobId> cancelled() {
        return cancelled;
    }
}

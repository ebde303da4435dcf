package io.couchjobs.simulation;

import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.simulation.Journal.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Proves from the journal, and from what the copies have at the end, that a queue kept its promises. */
final class Checker {
    /** How much the clocks of two processes differ at most: the date that a node tells has no parts of seconds. */
    private static final Duration CLOCKS = Duration.ofSeconds(2);

    private final Journal journal;
    private final Remains remains;

    Checker(Journal journal, Remains remains) {
        this.journal = journal;
        this.remains = remains;
    }

    List<String> violations() {
        List<String> violations = new ArrayList<>();
        Map<JobId, List<Run>> runs = new HashMap<>();
        journal.runs().forEach(run -> runs.computeIfAbsent(run.job, id -> new ArrayList<>())
                .add(run));
        new TreeMap<>(byText(runs)).values().forEach(list -> {
            List<Run> owned =
                    list.stream().filter(run -> !journal.isRemovedDuring(run)).toList();
            fences(list, violations);
            owners(owned, violations);
            lateResults(owned, violations);
            secondRuns(list, violations);
        });
        notToRun(violations);
        violations.addAll(remains.violations());
        lost(violations);
        livingOwners(violations);
        promisedRuns(violations);
        removals(violations);
        tellings(violations);
        ends(violations);
        tooEarly(violations);
        items(violations);
        return violations;
    }

    private static Map<String, List<Run>> byText(Map<JobId, List<Run>> runs) {
        Map<String, List<Run>> named = new HashMap<>();
        runs.forEach((id, list) -> named.put(id.toString(), list));
        return named;
    }

    private void fences(List<Run> runs, List<String> violations) {
        for (int i = 1; i < runs.size(); i++) {
            if (runs.get(i).fence <= runs.get(i - 1).fence) {
                violations.add("the fence does not grow: " + runs.get(i - 1) + ", then " + runs.get(i));
            }
        }
    }

    /** In the order in which they began, no run begins before those before are over. */
    private void owners(List<Run> runs, List<String> violations) {
        for (int i = 1; i < runs.size(); i++) {
            Run after = runs.get(i);
            runs.subList(0, i).stream()
                    .filter(before -> before.ownedUntil() > after.started)
                    .forEach(before -> violations.add("two owners: " + before + ", and " + after));
        }
    }

    private void lateResults(List<Run> runs, List<String> violations) {
        for (Run done : runs) {
            runs.stream()
                    .filter(later -> done.isDone() && later.fence > done.fence && later.started < done.worked)
                    .findFirst()
                    .ifPresent(later -> violations.add("a late result was accepted: " + done + ", after " + later));
        }
    }

    /**
     * A monitor may take a job from the dead only. What it takes must be the owner's claim, and not another one of the same fence.
     * An owner whose lease was over when the monitor read the job may have brought it back before the monitor wrote: the monitor's
     * write is then the second child of one revision, is not confirmed, and takes nothing.
     */
    private void livingOwners(List<String> violations) {
        for (Journal.Expiry expiry : journal.expiries()) {
            journal.runs().stream()
                    .filter(run -> run.job.equals(expiry.job()) && run.fence == expiry.fence())
                    .filter(run -> run.isOwnedAt(expiry.at()))
                    .filter(run -> !(expiry.isUnconfirmed() && run.hadLapsedBefore(expiry.at())))
                    .filter(run -> remains.descends(run.job, expiry.base(), run.rev))
                    .forEach(run -> violations.add("taken from a living owner at " + expiry.at() + ": " + run));
        }
    }

    /** A job that comes after another one does not run before a run of that one has done its work. */
    private void tooEarly(List<String> violations) {
        for (Run run : journal.runs()) {
            journal.predecessor(run)
                    .filter(first -> journal.runs().stream()
                            .noneMatch(before -> before.job.equals(first) && before.worked <= run.started))
                    .ifPresent(first -> violations.add("run before " + first + ", which it waits for: " + run));
        }
    }

    /** A creator that was told that its job was added, or will run once more, was promised a run that begins after its request. */
    private void promisedRuns(List<String> violations) {
        Map<JobId, Long> last = new HashMap<>();
        journal.runs().stream()
                .filter(run -> !run.onlyEnds)
                .forEach(run -> last.merge(run.job, run.started, Math::max));
        for (JobId id : journal.asked()) {
            if (journal.cancelled().contains(id) || journal.isRemoved(id)) {
                continue;
            }
            journal.asks(id).stream()
                    .filter(ask -> ask.promised && last.getOrDefault(id, -1L) < ask.from && !isGivenUp(id, ask.from))
                    .forEach(ask ->
                            violations.add("promised at " + ask.until + " and not run since " + ask.from + ": " + id));
        }
    }

    /** Claims count that were made since, and whose owners died before the run began: a job fails when its leases have run out too often. */
    private boolean isGivenUp(JobId id, long from) {
        long fence = journal.runs().stream()
                .filter(run -> run.job.equals(id) && run.started <= from)
                .mapToLong(run -> run.fence)
                .max()
                .orElse(0);
        boolean hasExpired = journal.expiries().stream()
                .anyMatch(expiry -> expiry.job().equals(id) && expiry.at() > from && expiry.fence() > fence);
        return hasExpired
                && remains.present(id)
                        .filter(job -> job.status() == JobStatus.FAILED)
                        .flatMap(job -> job.errors().stream().reduce((one, later) -> later))
                        .filter(error -> error.kind() == JobError.Kind.EXPIRED)
                        .isPresent();
    }

    /** A caller that was told that a job is removed does not find it again, unless somebody has added it since. */
    private void removals(List<String> violations) {
        for (JobId id : journal.asked()) {
            Optional<Job> job = remains.present(id);
            journal.removals(id).stream()
                    .filter(removal -> job.isPresent() && removal.answered)
                    .filter(removal ->
                            !remains.isCreatedOnTombstone(id, job.get().rev().orElseThrow()))
                    .filter(removal -> journal.asks(id).stream().noneMatch(ask -> ask.until >= removal.from))
                    .forEach(removal -> violations.add("removed at " + removal.from + ", and back: " + job.get()));
        }
    }

    /** What an owner was told is stored stands, as long as nobody wants anything else. */
    private void ends(List<String> violations) {
        for (Run run : journal.runs()) {
            if (run.end == Journal.End.SUCCEEDED
                    && journal.isOnlyInserted(run.job)
                    && !journal.isRemoved(run.job)
                    && !journal.isRetired(run.job)) {
                Optional<Job> job = remains.document(run.job).map(document -> Job.parse(document));
                boolean stands = job.flatMap(Job::result)
                        .filter(result -> result.asText().equals(run.token))
                        .isPresent();
                if (!stands) {
                    violations.add("an end does not stand: " + run + ", but " + job);
                }
            }
        }
    }

    /**
     * The end of an item stands once an owner was told that it is stored. An item that has failed for good may have succeeded in a run of
     * another owner, which did not know.
     */
    private void items(List<String> violations) {
        for (JobId id : journal.added().stream()
                .sorted(Comparator.comparing(JobId::toString))
                .toList()) {
            Map<Integer, JobStatus> now = remains.present(id)
                    .flatMap(ItemStates::of)
                    .map(ChunkActor::ended)
                    .orElse(Map.of());
            journal.items(id).forEach((item, told) -> {
                boolean stands = now.get(item) == JobStatus.SUCCESS
                        || (now.get(item) == JobStatus.FAILED && !told.contains(JobStatus.SUCCESS));
                if (!stands) {
                    violations.add("the end of item " + item + " of " + id + " does not stand: told " + told
                            + ", it is " + now.get(item));
                }
            });
        }
    }

    /**
     * An end that somebody was told stands, be it a success, a failure or a cancellation, until another run is asked for, or the job is
     * deleted. Only the job's fence and its times may differ: a resolver may write the end once more, with a greater fence, and an owner
     * that heard nothing of its write may write the same end later.
     */
    private void tellings(List<String> violations) {
        for (Journal.Told told : journal.told()) {
            if (!stands(told)) {
                violations.add((told.status() == null ? "told a removal" : "told an end")
                        + " that does not stand: " + told + "; it is "
                        + remains.document(told.job())
                                .map(document -> document.toString())
                                .orElse("gone"));
            }
        }
        journal.forgotten().forEach(one -> violations.add("never told: " + one));
    }

    private boolean stands(Journal.Told told) {
        Optional<Job> job = remains.present(told.job());
        if (told.status() == null || job.isEmpty()) {
            return journal.isRemoved(told.job()) || journal.isRetired(told.job());
        }
        return told.isEndOf(job.get())
                || remains.isCreatedOnTombstone(told.job(), job.get().rev().orElseThrow())
                || (isAskedSince(told) && isConfirmed(told));
    }

    /**
     * Whether another run was asked for when the job had ended, or at about that time. What was asked, and answered, before that has been
     * taken into account by the end. Nothing else lets a job run again, and no request to cancel undoes an end.
     */
    private boolean isAskedSince(Journal.Told told) {
        long since = SimulatedProcess.micros(told.since().minus(CLOCKS));
        return !journal.isOnlyInserted(told.job())
                && journal.asks(told.job()).stream().anyMatch(ask -> ask.until >= since);
    }

    /** Whether a success is that of a run. Its owner may have been killed, or its lease been over, before it heard that. */
    private boolean isConfirmed(Journal.Told told) {
        return told.status() != JobStatus.SUCCESS
                || journal.runs().stream()
                        .anyMatch(run -> run.token.equals(told.result()) && run.end != Journal.End.GAVE_UP);
    }

    /**
     * A creator that inserts a job asks for one run that ends well. An owner that was cut off and declared dead may have had a run
     * that others knew nothing of.
     */
    private void secondRuns(List<Run> runs, List<String> violations) {
        for (int i = 1; i < runs.size(); i++) {
            Run before = runs.get(i - 1);
            Run after = runs.get(i);
            boolean asked = journal.asks(before.job).stream()
                    .anyMatch(ask -> ask.until >= before.claimed && ask.from <= after.started);
            if (before.end == Journal.End.SUCCEEDED
                    && (journal.isOnlyInserted(before.job) || !asked)
                    && !remains.isCreatedOnTombstone(after.job, after.rev)) {
                boolean beside = after.started < before.told;
                violations.add((beside ? "a late end was accepted: " : "run again, and nobody asked for it: ") + before
                        + ", then " + after);
            }
        }
    }

    /** The answer to a creator holds. A job whose owner was declared dead may have been run before that, and counts as run. */
    private void notToRun(List<String> violations) {
        for (Journal.Silence silence : journal.silences()) {
            journal.runs().stream()
                    .filter(run -> silence.isBrokenBy(run)
                            && run.expirations == 0
                            && !remains.isCreatedOnTombstone(run.job, run.rev))
                    .forEach(run ->
                            violations.add("run though " + silence.why() + " at " + silence.from() + ": " + run));
        }
    }

    /** What was added is there, unless it was removed; what succeeded was run, what was cancelled was cancelled by somebody. */
    private void lost(List<String> violations) {
        Set<String> tokens = new HashSet<>();
        journal.runs().forEach(run -> tokens.add(run.token));
        for (JobId id : journal.added().stream()
                .sorted(Comparator.comparing(JobId::toString))
                .toList()) {
            Optional<Job> job = remains.present(id);
            if (job.isEmpty()) {
                if (!journal.isRemoved(id) && !journal.isRetired(id)) {
                    violations.add("lost: " + id);
                }
            } else if (job.get().status() == JobStatus.SUCCESS) {
                String token = job.get().result().map(result -> result.asText()).orElse("");
                if (!tokens.contains(token)) {
                    violations.add("nobody ran: " + job.get());
                }
            } else if (job.get().status() == JobStatus.CANCELLED
                    && !journal.cancelled().contains(id)
                    && !journal.isRemoved(id)) {
                violations.add("nobody cancelled: " + job.get());
            }
        }
    }
}

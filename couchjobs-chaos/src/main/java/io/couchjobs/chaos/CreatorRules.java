package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks that the queue kept its answers to creators: no job is lost, no cancelled job runs, and no job runs before its time. */
final class CreatorRules {
    /** The tolerance for early runs. The server's time is known only to a second. */
    private static final long EARLIEST_MILLIS = 1_500;

    private final History history;
    private final Map<String, Job> jobs;
    private final boolean isCluster;
    private final List<String> violations = new ArrayList<>();

    private CreatorRules(History history, Ending ending) {
        this.history = history;
        this.jobs = ending.jobs();
        this.isCluster = ending.isCluster();
    }

    static List<String> violations(History history, Ending ending) {
        CreatorRules rules = new CreatorRules(history, ending);
        rules.lost();
        rules.addedAgain();
        rules.jobs.forEach((id, job) -> {
            if (!history.has(id, What.ADDING) && !Kind.isOfChange(id)) {
                rules.violations.add("no strangers: nobody made " + job);
            }
            rules.cancelled(id, job);
            rules.requested(id, job);
        });
        history.runs()
                .forEach((id, runs) -> runs.forEach(run -> {
                    rules.afterCancel(run);
                    rules.early(run);
                    rules.beforeOthers(run);
                }));
        return rules.violations;
    }

    private void lost() {
        for (String id : history.jobs(What.ADDED)) {
            if (!jobs.containsKey(id)) {
                violations.add(
                        "nothing is lost: " + history.first(id, What.ADDED).orElseThrow());
            }
        }
        for (String id : history.runs().keySet()) {
            if (!jobs.containsKey(id)) {
                violations.add("nothing is lost: " + history.runs(id) + " ran, and is gone");
            }
        }
    }

    private void addedAgain() {
        for (String id : history.jobs(What.ADDED_AGAIN)) {
            Entry last = history.last(id, What.ADDED_AGAIN).orElseThrow();
            if (history.runs(id).stream().noneMatch(run -> run.begin().nanos() > last.nanos())) {
                violations.add("added again, run again: " + last + " was followed by no run: " + history.runs(id));
            }
        }
    }

    /**
     * Checks a job whose cancellation was requested. A claim may have been granted just before the request, and its handler may
     * begin just after. That owner is the job's last, however its run ends. On a cluster, the final failure of that owner's run
     * takes precedence over the request.
     */
    private void requested(String id, Job job) {
        Optional<Entry> told = history.first(id, What.CANCEL_REQUESTED);
        if (told.isEmpty()) {
            return;
        }
        List<Run> runs = history.runs(id);
        long later = runs.stream()
                .filter(run -> run.begin().nanos() > told.get().nanos())
                .count();
        boolean isFollowed =
                runs.stream().limit(Math.max(0, runs.size() - 1)).anyMatch(run -> isOwnerAfter(told.get(), run));
        boolean hasFailed = job.status() == JobStatus.FAILED && (!isCluster || later > 0);
        if (later > 1 || isFollowed || hasFailed) {
            violations.add("cancelled is cancelled: it went on after " + told.get() + ": " + runs + ", " + job);
        }
    }

    private static boolean isOwnerAfter(Entry told, Run run) {
        return run.lastProof().filter(proof -> proof.nanos() > told.nanos()).isPresent();
    }

    private void cancelled(String id, Job job) {
        if (history.has(id, What.CANCELLED) && job.status() != JobStatus.CANCELLED) {
            violations.add("cancelled is cancelled: " + job);
        }
        if (job.status() == JobStatus.CANCELLED && !isAskedToCancel(id) && !otherFailed(id)) {
            violations.add("cancelled is cancelled: nobody asked for it: " + job);
        }
    }

    /**
     * Returns whether a cancellation may have been stored. On one node, a refusal means that no write was stored. On a cluster,
     * an earlier try of the same call may have stored the request in a copy that was out of reach.
     */
    private boolean isAskedToCancel(String id) {
        int asked = history.all(id, What.CANCELLING).size();
        return isCluster
                ? asked > 0
                : asked > history.all(id, What.CANCEL_REFUSED).size();
    }

    /** Returns whether the job that this one waits for did not succeed. Such a job is cancelled. */
    private boolean otherFailed(String id) {
        return history.made(id)
                .map(made -> jobs.get(made.after()))
                .filter(other -> other.status() != JobStatus.SUCCESS)
                .isPresent();
    }

    private void afterCancel(Run run) {
        Optional<Entry> told = history.first(run.job(), What.CANCELLED);
        if (told.filter(cancelled -> isOwnerAfter(cancelled, run)).isPresent()) {
            violations.add("cancelled is cancelled: " + run + " was owner after " + told.orElseThrow());
        }
    }

    private void early(Run run) {
        long time = history.made(run.job()).map(History.Made::time).orElse(0L);
        long early = time - run.begin().millis();
        if (early > EARLIEST_MILLIS) {
            violations.add("not before its time: " + run + " began " + early + " ms before it");
        }
    }

    private OptionalLong endOf(String id, Job job) {
        return ArrayRules.isChunk(job)
                ? ArrayRules.end(history.runs(id), job)
                : Ending.claimOfResult(job)
                        .flatMap(claim -> history.run(id, claim.token()))
                        .map(Run::end)
                        .orElseGet(OptionalLong::empty);
    }

    private void beforeOthers(Run run) {
        String other = history.made(run.job()).map(History.Made::after).orElse("");
        if (other.isEmpty()) {
            return;
        }
        OptionalLong end = Optional.ofNullable(jobs.get(other))
                .filter(job -> job.status() == JobStatus.SUCCESS)
                .map(job -> endOf(other, job))
                .orElseGet(OptionalLong::empty);
        if (end.isEmpty() || end.getAsLong() > run.begin().nanos()) {
            violations.add("not before the others: " + run + " began before the success of " + other);
        }
    }
}

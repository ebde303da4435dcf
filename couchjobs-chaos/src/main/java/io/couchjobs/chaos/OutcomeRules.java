package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks that the stored outcome is that of the last owner, and that every outcome reported as stored is stored. {@link
 * ArrayRules} checks the items of arrays.
 */
final class OutcomeRules {
    private static final String PLANNED = Work.Failure.PREFIX;
    /** The outcomes after which a job has ended. */
    private static final Map<String, JobStatus> ENDS =
            Map.of("SUCCEEDED", JobStatus.SUCCESS, "FAILED", JobStatus.FAILED, "CANCELLED", JobStatus.CANCELLED);

    private final History history;
    private final boolean isCluster;
    private final List<String> violations = new ArrayList<>();

    private OutcomeRules(History history, boolean isCluster) {
        this.history = history;
        this.isCluster = isCluster;
    }

    static List<String> violations(History history, Ending ending) {
        OutcomeRules rules = new OutcomeRules(history, ending.isCluster());
        Map<String, Job> jobs = ending.jobs();
        jobs.forEach(rules::told);
        jobs.values().removeIf(ArrayRules::isChunk);
        jobs.forEach((id, job) -> {
            rules.result(id, job);
            rules.failures(id, job);
            rules.lastFailure(id, job);
            rules.retried(id, job);
        });
        return rules.violations;
    }

    /**
     * Checks that the result is that of the last run. The job's fence may be greater than that of its last run: a conflict
     * resolution raises it above the fence of a claim that expired without a run.
     */
    private void result(String id, Job job) {
        if (job.status() != JobStatus.SUCCESS) {
            return;
        }
        Optional<Run> run = Ending.claimOfResult(job).flatMap(claim -> history.run(id, claim.token()));
        if (run.isEmpty()) {
            violations.add("results are of runs: nobody ran " + job + " with result " + job.result());
            return;
        }
        List<Run> runs = history.runs(id);
        Run last = runs.get(runs.size() - 1);
        boolean isLate = run.get().fence() < last.fence() && !(isCluster && mayStand(run.get(), runs));
        if (isLate || run.get().fence() > job.fence()) {
            violations.add("no late results: stored is that of " + run.get() + ", the last is " + last
                    + ", the job's fence " + job.fence());
        }
    }

    /**
     * Returns whether a result is valid on a cluster although the job ran again later. The result was written before the later
     * runs began, but no majority confirmed it in time, and none of the later runs wrote an end. Their claims were withdrawn, and
     * a result takes precedence over a withdrawn claim.
     */
    private static boolean mayStand(Run run, List<Run> all) {
        return all.stream()
                .filter(later -> later.fence() > run.fence())
                .allMatch(later -> run.isDoneBefore(later) && (later.outcome().equals("HALTED") || !later.isHeardOf()));
    }

    /** Checks that each stored failure is a planned one of a run. */
    private void failures(String id, Job job) {
        for (JobError error : job.errors()) {
            boolean isKnown = history.runs(id).stream()
                    .map(run -> Work.Failure.message(run.token(), run.fence()))
                    .anyMatch(error.message()::equals);
            if (error.kind() == JobError.Kind.FAILED && !isKnown) {
                violations.add("failures are of runs: nobody failed " + job + " by " + error.message());
            }
        }
    }

    private void lastFailure(String id, Job job) {
        List<Run> runs = history.runs(id);
        if (job.status() != JobStatus.FAILED || job.errors().isEmpty() || runs.isEmpty()) {
            return;
        }
        String last = job.errors().get(job.errors().size() - 1).message();
        long fence = runs.get(runs.size() - 1).fence();
        if (last.startsWith(PLANNED) && !last.endsWith(" fence " + fence)) {
            violations.add("no late results: failed by " + last + ", the last run's fence is " + fence + ": " + job);
        }
    }

    /** Checks that a job fails for good only after all its retries. A handler notes its failure before it is stored. */
    private void retried(String id, Job job) {
        long failed = history.runs(id).stream().filter(Run::isFailed).count();
        if (job.status() == JobStatus.FAILED && failed <= Kind.of(id).retries()) {
            violations.add("failures are retried: it failed for good after " + failed + " failed runs: "
                    + history.runs(id) + ", " + job);
        }
    }

    /** Checks that the end of a job that is not added again is final, and that all failures are stored. */
    private void told(String id, Job job) {
        if (history.has(id, What.ADDING_AGAIN) || Kind.NEWEST.isOf(id)) {
            return;
        }
        List<Run> runs = history.runs(id);
        for (Run run : runs) {
            JobStatus end = ENDS.get(run.outcome());
            boolean isFollowed = runs.get(runs.size() - 1).fence() > run.fence();
            if (end != null && (isFollowed || !isEnd(end, run, job))) {
                violations.add("what is stored stays: end of " + run + ", but it is " + job.status() + " by "
                        + job.result() + " after " + runs);
            }
            if (run.how().equals("done") && run.isStored() && end != JobStatus.SUCCESS) {
                violations.add("results are stored: the handler was done, and its result was dropped: " + run);
            }
            boolean isFailure = run.how().equals("failed") && run.isStored();
            if (isFailure && end != JobStatus.CANCELLED && !isAmongErrors(run, job)) {
                violations.add("what is stored stays: failure of " + run + ", but errors are " + job.errors());
            }
        }
    }

    /** Returns whether a job ended with a status, and by a run. The result of a chunk does not name its run. */
    private static boolean isEnd(JobStatus end, Run run, Job job) {
        boolean isOwn = end != JobStatus.SUCCESS
                || ArrayRules.isChunk(job)
                || Ending.claimOfResult(job)
                        .filter(claim -> claim.token().equals(run.token()))
                        .isPresent();
        return job.status() == end && isOwn;
    }

    private static boolean isAmongErrors(Run run, Job job) {
        return job.errors().size() == Job.MAX_ERRORS
                || job.errors().stream().anyMatch(error -> error.message().contains(run.token()));
    }
}

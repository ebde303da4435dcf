package io.couchjobs.job;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What third parties asked of a job on a leaf that lost: to cancel it, or to run it once more. It is done to the winner, once:
 * doing it again changes nothing, so that whoever resolves a second time, before the losers are gone, does no harm. Of a
 * cancel and a resubmit the later counts, and the resubmit if nobody can tell.
 *
 * @param cancel whether the job is to be cancelled; otherwise to be run once more
 * @param fence during which claim, or after which, it was asked
 * @param at when it was asked, as far as the leaf says
 * @param time for a resubmit, not before this time
 */
record Asked(boolean cancel, long fence, Instant at, Instant time) {
    private static final Comparator<Asked> LAST = Comparator.comparing((Asked asked) -> asked.at)
            .thenComparing(asked -> !asked.cancel)
            .thenComparing(asked -> asked.time)
            .thenComparing(asked -> asked.fence);

    /**
     * The winner with what was asked on the others; the same one when there is nothing to do. Where it waits, its fence is greater than
     * that of the run that somebody wants once more: the end of that run, on a copy that was not read, must not win against the wish.
     */
    static Job of(Job winner, List<Leaf> losers) {
        List<Asked> meant = losers.stream()
                .flatMap(loser -> read(loser).stream())
                .filter(asked -> asked.isMeantFor(winner))
                .toList();
        Job asked = meant.stream().max(LAST).map(last -> last.applyTo(winner)).orElse(winner);
        long beyond = meant.stream()
                .filter(wish -> !wish.cancel)
                .mapToLong(wish -> Math.min(wish.fence + 1, Integer.MAX_VALUE))
                .max()
                .orElse(0);
        return Transitions.raiseFence(asked, beyond);
    }

    private static Optional<Asked> read(Leaf loser) {
        return loser.job().flatMap(job -> read(loser, job));
    }

    private static Optional<Asked> read(Leaf loser, Job job) {
        if (job.status().isLocked() && job.isResubmitted()) {
            return Optional.of(new Asked(false, loser.storedFence(), at(job, "resubmitted"), job.resubmittedTime()));
        }
        boolean cancelled = job.status() == JobStatus.CANCELLED;
        return cancelled || job.isCancelRequested()
                ? Optional.of(new Asked(
                        true, loser.storedFence(), at(job, cancelled ? "finished" : "cancelRequested"), Instant.EPOCH))
                : Optional.empty();
    }

    private static Instant at(Job job, String moment) {
        return job.times().getOrDefault(moment, Instant.EPOCH);
    }

    /** Not what was asked of an earlier life of the job: it was run, or added again, since. */
    private boolean isMeantFor(Job winner) {
        return switch (winner.state()) {
            case RUNNING -> fence >= (cancel ? winner.fence() - 1 : winner.fence());
            case PENDING -> fence >= winner.fence();
            case FINISHED -> !cancel && fence >= winner.fence();
            case NOT_FOUND -> false;
        };
    }

    private Job applyTo(Job winner) {
        if (!cancel) {
            return Transitions.resubmit(winner, time, null, at).write().orElse(winner);
        }
        boolean askedAgainSince =
                winner.isResubmitted() && !at(winner, "resubmitted").isBefore(at);
        Decision decision =
                winner.status().isLocked() ? Transitions.requestCancel(winner, at) : Transitions.cancel(winner, at);
        return askedAgainSince ? winner : decision.write().orElse(winner);
    }
}

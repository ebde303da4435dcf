package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cancel request on a leaf that lost. The request is copied to the winner once: a second resolution before the losing
 * leaves are deleted changes nothing.
 *
 * @param fence the fence of the claim during or after which the request was made
 * @param reason the caller's reason, if there is one
 * @param isDone whether the job was cancelled on that leaf; otherwise its owner was asked to stop
 */
record CancelRequest(long fence, Instant at, @Nullable String reason, boolean isDone) {
    private static final Comparator<CancelRequest> LAST =
            Comparator.comparing((CancelRequest request) -> request.at).thenComparing(request -> request.fence);

    /**
     * Adds the latest request of the losing leaves to the winner.
     *
     * @param since the least fence of a request that applies to a pending winner: the fence that counts for the winner's
     *     leaf. For a withdrawn claim, this is the fence from before the claim was restored
     * @return the winner with the request; the same job when there is nothing to do
     */
    static Job addTo(Job winner, long since, List<Leaf> losers) {
        return losers.stream()
                .flatMap(loser -> read(loser).stream())
                .filter(request -> request.isMeantFor(winner, since))
                .max(LAST)
                .map(last -> last.applyTo(winner))
                .orElse(winner);
    }

    private static Optional<CancelRequest> read(Leaf loser) {
        return loser.job()
                .filter(job -> job.status() == JobStatus.CANCELLED || job.isCancelRequested() || EndAs.isCancelled(job))
                .filter(job -> loser.kind() != Leaf.Kind.RESUBMITTED)
                .map(job -> new CancelRequest(
                        fence(loser, job), at(job), reason(job), job.status() == JobStatus.CANCELLED));
    }

    private static @Nullable String reason(Job job) {
        JsonNode reason = job.document().path(Field.CANCEL_REASON);
        return job.status() != JobStatus.CANCELLED && reason.isTextual() ? reason.textValue() : null;
    }

    /** {@return the fence of the request} A claim of a job that already waited to be cancelled inherited an older request. */
    private static long fence(Leaf loser, Job job) {
        boolean isInherited = job.status().isLocked() && !job.isCancelRequested();
        return loser.storedFence() - (isInherited ? 1 : 0);
    }

    private static Instant at(Job job) {
        String moment = job.status() == JobStatus.CANCELLED ? "finished" : "cancelRequested";
        return job.times().getOrDefault(moment, Instant.EPOCH);
    }

    /** {@return whether the request concerns the winner's present life, and not an earlier run or addition of the job} */
    private boolean isMeantFor(Job winner, long since) {
        return switch (winner.phase()) {
            case RUNNING -> fence >= winner.fence() - 1;
            case PENDING -> fence >= since;
            case FINISHED, NOT_FOUND -> false;
        };
    }

    private Job applyTo(Job winner) {
        boolean askedAgainSince = winner.isResubmitted()
                && !winner.times().getOrDefault("resubmitted", Instant.EPOCH).isBefore(at);
        return askedAgainSince ? winner : decide(winner).write().orElse(winner);
    }

    private Decision decide(Job winner) {
        if (winner.status().isLocked()) {
            return Transitions.requestCancel(winner, reason, at);
        }
        return isDone
                ? Transitions.cancel(winner, reason, at)
                : ClusterTransitions.cancelAtNextClaim(winner, reason, at);
    }
}

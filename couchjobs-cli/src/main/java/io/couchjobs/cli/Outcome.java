package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.JobId;

/**
 * The outcome of a command for one job.
 *
 * @param id the job
 * @param kind the kind of outcome
 * @param what what was done, in the past tense, or why nothing was
 */
record Outcome(JobId id, Kind kind, String what) {
    /** Whether the job was changed, refused the action, or was gone. */
    enum Kind {
        CHANGED,
        REFUSED,
        GONE;

        @Override
        public String toString() {
            return EnumNames.lowerCase(this);
        }
    }

    static Outcome changed(JobId id, String what) {
        return new Outcome(id, Kind.CHANGED, what);
    }

    static Outcome gone(JobId id) {
        return new Outcome(id, Kind.GONE, "was gone already");
    }

    /** Returns a refusal. Its reason lacks the name of the job, so that many jobs can share the same reason. */
    static Outcome refused(JobId id, RuntimeException refusal) {
        String reason = String.valueOf(refusal.getMessage())
                .replace("job " + id + " ", "")
                .replace(id.docId(), "the job")
                .replace("; nothing was written", "");
        return new Outcome(id, Kind.REFUSED, reason);
    }

    ObjectNode json() {
        return JobView.of(id).put("outcome", kind.toString()).put("result", what);
    }
}

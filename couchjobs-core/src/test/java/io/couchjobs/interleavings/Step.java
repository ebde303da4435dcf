package io.couchjobs.interleavings;

import io.couchjobs.job.Job;
import java.util.Optional;

/** One request that was let through, and the job before and after it. */
record Step(Call call, String request, Optional<Job> before, Optional<Job> after) {
    boolean wrote() {
        return !before.flatMap(Job::rev).equals(after.flatMap(Job::rev));
    }

    @Override
    public String toString() {
        String shown = call.player + " " + call.verb + ": " + request;
        return wrote() ? shown + "   => " + show(after) : shown;
    }

    static String show(Optional<Job> job) {
        return job.map(present -> present.status().json()
                        + present.lock()
                                .map(lock -> " by " + lock.token().substring(0, 4))
                                .orElse("")
                        + (present.isResubmitted() ? " resubmitted" : "")
                        + (present.isCancelRequested() ? " cancel-requested" : "")
                        + present.rev()
                                .map(rev -> " " + rev.substring(0, rev.indexOf('-') + 3))
                                .orElse(""))
                .orElse("absent");
    }
}

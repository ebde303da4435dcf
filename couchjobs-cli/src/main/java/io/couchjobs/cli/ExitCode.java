package io.couchjobs.cli;

import io.couchjobs.couch.IndexBeingBuiltException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.QueueFullException;
import io.couchjobs.job.WriteRefusedException;

/** The exit codes of commands, for scripts. */
enum ExitCode {
    DONE(0),
    FAILED(1),
    USAGE(2),
    NOT_FOUND(3),
    REFUSED(4),
    TIMED_OUT(5),
    UNREACHABLE(6),
    NOT_AUTHORISED(7),
    INTERRUPTED(130);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static ExitCode of(Throwable problem) {
        if (problem instanceof CommandException ours) {
            return ours.exitCode();
        } else if (problem instanceof IndexBeingBuiltException) {
            return TIMED_OUT;
        } else if (problem instanceof CouchUnreachableException) {
            return UNREACHABLE;
        } else if (problem instanceof WriteRefusedException refused) {
            return refused.isTooLarge() || refused.status() >= 500 ? FAILED : NOT_AUTHORISED;
        } else if (problem instanceof CouchUnauthorizedException || ServerProblem.isRefusedSecurity(problem)) {
            return NOT_AUTHORISED;
        } else if (problem instanceof CouchNotFoundException || problem instanceof NotFoundException) {
            return NOT_FOUND;
        } else if (problem instanceof JobRefusedException
                || problem instanceof DuplicateJobException
                || problem instanceof QueueFullException) {
            return REFUSED;
        } else if (problem instanceof IllegalArgumentException || problem instanceof InvalidJobDataException) {
            return USAGE;
        }
        return problem instanceof InterruptedException ? INTERRUPTED : FAILED;
    }
}

package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.JobFilter;
import java.util.Optional;

/**
 * Tells whether the name of a type may be mistyped. When the index cannot be read, every name counts as correct, so that no
 * command is kept from its work.
 */
final class KnownTypes {
    private final JobQueue queue;

    KnownTypes(JobQueue queue) {
        this.queue = queue;
    }

    boolean mayHaveJobs(String type) {
        try {
            return !queue.list(JobFilter.all().type(type), 1).isEmpty();
        } catch (CouchJobsException untold) {
            return true;
        }
    }

    /** Returns whether the type may have jobs or settings. */
    boolean mayExist(String type) {
        try {
            return queue.types().names().contains(type);
        } catch (CouchJobsException untold) {
            return true;
        }
    }

    /** {@return a warning if the type has neither jobs nor settings} */
    Optional<String> warning(String type) {
        return mayExist(type)
                ? Optional.empty()
                : Optional.of("couchjobs: warning: there is no job of type " + type + question(type));
    }

    /** {@return the question whether an existing type was meant; empty when none is similar} */
    String question(String type) {
        try {
            return Nearest.question(type, queue.types().names());
        } catch (CouchJobsException untold) {
            return "";
        }
    }
}

package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.JobFilter;
import java.util.Optional;

/** Tells whether the name of a type may be a slip. An index that cannot be read now keeps nobody from acting. */
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

    /** Whether the type may have jobs or settings. */
    boolean mayExist(String type) {
        try {
            return queue.types().names().contains(type);
        } catch (CouchJobsException untold) {
            return true;
        }
    }

    /** {@return a warning, when there is neither a job of the type nor a setting} */
    Optional<String> warning(String type) {
        return mayExist(type)
                ? Optional.empty()
                : Optional.of("couchjobs: warning: there is no job of type " + type + question(type));
    }

    /** {@return the question whether a type was meant that exists, or nothing} */
    String question(String type) {
        try {
            return Nearest.question(type, queue.types().names());
        } catch (CouchJobsException untold) {
            return "";
        }
    }
}

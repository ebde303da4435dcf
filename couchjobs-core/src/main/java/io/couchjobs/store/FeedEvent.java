package io.couchjobs.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedJobException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A document changed. Immutable and thread-safe.
 *
 * @param docId the document's {@code _id}
 * @param rev the revision that the change made, such as {@code 3-...}
 * @param deleted whether it is gone
 * @param document the document as it is now, or its tombstone; null when it cannot be read
 */
public record FeedEvent(
        String docId, String rev, boolean deleted, @Nullable ObjectNode document) {
    /** {@return the number of the revision: how many writes the document has seen} */
    public long generation() {
        return generation(rev);
    }

    /**
     * The number of a revision.
     *
     * @param rev the revision, such as {@code 3-...}
     * @return its number, such as 3; 0 for what is no revision
     */
    public static long generation(String rev) {
        int dash = rev.indexOf('-');
        try {
            return dash < 0 ? 0 : Long.parseLong(rev.substring(0, dash));
        } catch (NumberFormatException notARevision) {
            return 0;
        }
    }

    /** {@return whether the document was a finished job that retention deleted} */
    boolean isRetired() {
        return deleted && document != null && JobStore.retiredStatus(document).isPresent();
    }

    /** {@return the job, if the document is one and still there} */
    public Optional<Job> job() {
        if (deleted || document == null || !docId.startsWith(JobId.PREFIX)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Job.parse(document));
        } catch (MalformedJobException notAJob) {
            return Optional.empty();
        }
    }
}

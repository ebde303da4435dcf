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
 * @param deleted whether it is gone
 * @param document the document as it is now, or null when it is gone
 */
public record FeedEvent(
        String docId, boolean deleted, @Nullable ObjectNode document) {
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

package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedDocumentException;
import java.util.Optional;

/** Reads documents that may be jobs; anybody can write one that is none. Stateless. */
public final class JobDocument {
    private JobDocument() {}

    /** {@return the job of a document, which is not copied; empty when the document cannot be a job} */
    public static Optional<Job> job(ObjectNode document) {
        try {
            return Optional.of(Job.given(document));
        } catch (MalformedDocumentException notAJob) {
            return Optional.empty();
        }
    }

    /** {@return the same of a row with a document; empty also when it has none} */
    public static Optional<Job> job(ViewResult.Row row) {
        return Optional.ofNullable(row.doc()).flatMap(JobDocument::job);
    }
}

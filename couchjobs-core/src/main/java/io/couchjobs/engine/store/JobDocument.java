package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedDocumentException;
import java.util.Optional;

/** Parses documents that may be jobs; other programs can write invalid ones. Stateless. */
public final class JobDocument {
    private JobDocument() {}

    /** {@return the job of a document, which is not copied; empty when the document is not a valid job} */
    public static Optional<Job> job(ObjectNode document) {
        try {
            return Optional.of(Job.given(document));
        } catch (MalformedDocumentException notAJob) {
            return Optional.empty();
        }
    }

    /** {@return the job of a row's document; empty when the row has no document, or the document is not a valid job} */
    public static Optional<Job> job(ViewResult.Row row) {
        return Optional.ofNullable(row.doc()).flatMap(JobDocument::job);
    }
}

package io.couchjobs.dashboard.doctor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedDocumentException;
import java.util.Map;
import java.util.stream.Collectors;

/** Checks for documents that have the id of a job but cannot be one. */
final class MalformedCheck extends Check {
    private static final int MOST_NAMED = 5;
    /** The queue lists no more malformed documents than this. */
    private static final int MOST_LISTED = 500;

    MalformedCheck() {
        super("malformed");
    }

    @Override
    public Problem look(JobQueue queue) {
        Map<String, String> malformed = queue.operations().malformed();
        if (malformed.isEmpty()) {
            return fine("every document with the id of a job can be one");
        }
        String named = malformed.entrySet().stream()
                .limit(MOST_NAMED)
                .map(entry -> entry.getKey() + " (" + reason(queue, entry.getKey(), entry.getValue()) + ")")
                .collect(Collectors.joining(", "));
        return problem(
                (malformed.size() < MOST_LISTED ? "" : "at least ")
                        + malformed.size()
                        + (malformed.size() == 1 ? " document begins" : " documents begin")
                        + " with job: but cannot be a job, because of what is in brackets: "
                        + named,
                "they are never run, and no list or number has them",
                "put the field right where the document comes from, and in the document (PUT it with its _rev);"
                        + " or remove it: couchjobs remove TYPE ID, or DELETE where its id has no TYPE and ID");
    }

    /** Reads the document, which tells more than the index: the index has only the name of the wrong field. */
    private static String reason(JobQueue queue, String docId, String field) {
        return queue.database()
                .get(docId)
                .map(document -> reason(document, docId, field))
                .orElse(field);
    }

    private static String reason(ObjectNode document, String docId, String field) {
        try {
            Job.parse(document);
            return field;
        } catch (MalformedDocumentException wrong) {
            return String.valueOf(wrong.getMessage()).replace("document " + docId + " is not a job: ", "");
        }
    }
}

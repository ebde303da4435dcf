package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.schema.DocumentSchemas;
import java.util.Map;
import java.util.stream.Collectors;

/** Whether there are documents that have the id of a job but cannot be one. */
final class MalformedCheck implements Check {
    private static final int MOST_NAMED = 5;

    @Override
    public String name() {
        return "malformed";
    }

    @Override
    public Finding look(JobQueue queue) {
        Map<String, String> malformed = queue.operations().malformed();
        if (malformed.isEmpty()) {
            return Finding.fine("every document with the id of a job can be one");
        }
        String named = malformed.entrySet().stream()
                .limit(MOST_NAMED)
                .map(entry -> entry.getKey() + " (" + problem(queue, entry.getKey(), entry.getValue()) + ")")
                .collect(Collectors.joining(", "));
        return Finding.problem(
                malformed.size()
                        + (malformed.size() == 1 ? " document begins" : " documents begin")
                        + " with job: but cannot be a job, because of what is in brackets: "
                        + named,
                "they are never run, and no list or number has them",
                "put the field right where the document comes from, and in the document (PUT it with its _rev);"
                        + " or remove it: couchjobs remove TYPE ID, or DELETE where its id has no TYPE and ID");
    }

    /** The schema knows more than the index: the name of the field. */
    private static String problem(JobQueue queue, String docId, String field) {
        return queue.database()
                .get(docId)
                .flatMap(document -> DocumentSchemas.problem("job", document))
                .orElse(field);
    }
}

package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;
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
                .map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
                .collect(Collectors.joining(", "));
        return Finding.problem(
                malformed.size()
                        + " documents have the id of a job but cannot be one, because of the field in brackets: "
                        + named,
                "they are never run, and nothing else shows them",
                "put the field right where the document comes from, or remove it: couchjobs remove TYPE ID");
    }
}

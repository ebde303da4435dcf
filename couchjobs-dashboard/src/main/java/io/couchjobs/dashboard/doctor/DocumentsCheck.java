package io.couchjobs.dashboard.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Checks whether the documents other than jobs (settings, schedules, scopes, ...) follow the document protocol. Reads the first
 * thousand of each kind.
 */
final class DocumentsCheck extends Check {
    private static final List<String> KINDS = List.of("type", "schedule", "scope", "rate", "slot", "worker");
    private static final int MOST_READ = 1000;
    private static final int MOST_NAMED = 5;

    private final BiFunction<String, JsonNode, Optional<String>> schemas;

    DocumentsCheck(BiFunction<String, JsonNode, Optional<String>> schemas) {
        super("documents");
        this.schemas = schemas;
    }

    @Override
    public Problem look(JobQueue queue) {
        List<String> wrong = new ArrayList<>();
        for (String kind : KINDS) {
            documents(queue, kind).forEach(row -> Optional.ofNullable(row.doc())
                    .flatMap(document -> schemas.apply(kind, document))
                    .ifPresent(problem -> wrong.add(row.id() + " (" + problem + ")")));
        }
        if (wrong.isEmpty()) {
            return fine("settings, schedules, scopes and registrations are as the document protocol says");
        }
        String named = String.join(", ", wrong.subList(0, Math.min(MOST_NAMED, wrong.size())));
        return problem(
                wrong.size() + " documents are not as the document protocol says: " + named,
                "what is wrong counts as not set, an invalid retention keeps all jobs, and programs in other languages may fail on it",
                "put the fields right where the documents come from, or by couchjobs type set, cron add, scope set");
    }

    private static Stream<ViewResult.Row> documents(JobQueue queue, String kind) {
        return queue
                .database()
                .view(ViewQuery.allDocs()
                        .startKey(kind + ":")
                        .endKey(kind + ";")
                        .includeDocs(true)
                        .limit(MOST_READ))
                .rows()
                .stream();
    }
}

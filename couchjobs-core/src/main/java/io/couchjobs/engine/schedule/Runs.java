package io.couchjobs.engine.schedule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.JobId;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The list of a schedule's newest jobs, in the schedule's document. A process adds each job that it makes, and removes each job
 * that it finds finished.
 */
public final class Runs {
    private static final int MOST = 10;

    private Runs() {}

    /** Adds jobs that are not in the list, and removes the oldest jobs beyond the maximum length. */
    static ObjectNode added(ObjectNode document, Collection<JobId> made) {
        return changed(document, List.of(), made);
    }

    static ObjectNode changed(ObjectNode document, Collection<JobId> finished, Collection<JobId> made) {
        Set<String> runs = new LinkedHashSet<>();
        document.path(Field.RUNS).forEach(run -> runs.add(run.asText()));
        finished.forEach(job -> runs.remove(job.docId()));
        made.forEach(job -> runs.add(job.docId()));
        ArrayNode next = document.arrayNode();
        runs.stream().skip(Math.max(0, runs.size() - MOST)).forEach(next::add);
        if (!next.isEmpty() || document.has(Field.RUNS)) {
            document.set(Field.RUNS, next);
        }
        return document;
    }
}

package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.IndexBeingBuiltException;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.TypeSettings;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The resources of the HTTP API for the queue as a whole and for its types. Thread-safe. */
final class QueueResource {
    private static final int USUAL = 1000;
    private static final int MOST = 10_000;
    private static final String TYPE = "type";

    private final JobQueue queue;
    private final Problems problems;

    QueueResource(JobQueue queue, Problems problems) {
        this.queue = queue;
        this.problems = problems;
    }

    /** Answers 503 when there is a problem, so that a monitor needs only the status. */
    void health(Call call, List<String> none) throws IOException {
        List<Problem> found = found();
        boolean healthy = found.stream().noneMatch(problem -> problem.level() == Problem.Level.PROBLEM);
        ObjectNode json = Call.JSON.createObjectNode().put("status", healthy ? "ok" : "problem");
        ArrayNode all = json.putArray("problems");
        found.stream()
                .filter(problem -> problem.level() != Problem.Level.OK)
                .map(Problems::json)
                .forEach(all::add);
        call.answer(healthy ? 200 : 503, json);
    }

    private List<Problem> found() {
        try {
            return problems.all();
        } catch (IndexBeingBuiltException notYet) {
            return List.of(beingBuilt(notYet.progress().text()));
        } catch (Cached.NotYet notYet) {
            return List.of(beingBuilt(notYet.getMessage()));
        } catch (CouchException trouble) {
            return List.of(new Problem(
                    "database",
                    Problem.Level.PROBLEM,
                    String.valueOf(trouble.getMessage()),
                    "Jobs are neither added nor run.",
                    "See that CouchDB runs and can be reached."));
        }
    }

    private static Problem beingBuilt(@Nullable String progress) {
        return new Problem(
                "indexes",
                Problem.Level.PROBLEM,
                "The server is " + progress + ".",
                "Workers go on with the former index, or wait for this one. The other checks are not made.",
                "Ask again when it is done.");
    }

    void counts(Call call, List<String> none) throws IOException {
        String by = call.param("by").orElse(TYPE);
        int limit = call.number("limit", 1, MOST).orElse(USUAL);
        Map<String, Map<JobStatus, Long>> counts = new LinkedHashMap<>();
        if (by.equals(TYPE)) {
            queue.types().counts().forEach((type, count) -> counts.put(type, count.byStatus()));
        } else {
            // One entry more than wanted tells whether there are more.
            counts.putAll(queue.types().countsBy(label(by), limit + 1));
        }
        ObjectNode json = Call.JSON.createObjectNode().put("by", by);
        ObjectNode all = json.putObject("counts");
        counts.entrySet().stream()
                .limit(limit)
                .forEach(entry -> Types.numbersOf(entry.getValue(), all.putObject(entry.getKey())));
        call.answer(json.put("more", counts.size() > limit));
    }

    private static JobFilter.Label label(String by) {
        return Filters.label(by)
                .orElseThrow(() ->
                        new Refusal(400, "by: type, group, class, origin, tag or correlation, not \"" + by + "\""));
    }

    void type(Call call, List<String> name) throws IOException {
        String type = JobId.checkType(name.get(0));
        call.answer(json(queue.types().settings(type)));
    }

    void pause(Call call, List<String> name, boolean paused) throws IOException {
        String type = JobId.checkType(name.get(0));
        call.answer(json(queue.types().change(type, settings -> settings.withPaused(paused))));
    }

    private static ObjectNode json(TypeSettings settings) {
        return Call.JSON.createObjectNode().put(TYPE, settings.type()).put("paused", settings.isPaused());
    }
}

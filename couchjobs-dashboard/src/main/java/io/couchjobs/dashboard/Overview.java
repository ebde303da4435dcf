package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The contents of the first page. Thread-safe. */
final class Overview {
    private final JobQueue queue;
    private final Hub hub;
    private final Counts counts;
    private final Types types;
    private final Workers workers;
    private final Problems problems;

    Overview(JobQueue queue, Hub hub, Counts counts, Types types, Workers workers, Problems problems) {
        this.queue = queue;
        this.hub = hub;
        this.counts = counts;
        this.types = types;
        this.workers = workers;
        this.problems = problems;
    }

    /** Returns the contents; {@code mayAct} says whether the page offers actions. */
    ObjectNode json(boolean mayAct) {
        Instant at = ServerTime.of(queue);
        long now = at.toEpochMilli();
        ObjectNode json = Call.JSON
                .createObjectNode()
                .put("name", queue.database().name())
                .put("now", now)
                .put("actions", mayAct)
                .put("problems", problems.count());
        List<WorkerInfo> fleet = workers.all();
        ArrayNode all = json.putArray("types");
        Map<String, TypeCounts> numbers = counts.byType();
        Set<String> names = new TreeSet<>(numbers.keySet());
        names.addAll(types.settings().keySet());
        for (String name : names) {
            ObjectNode type = all.addObject()
                    .put("type", name)
                    .put("paused", types.isPaused(name))
                    .put(
                            "workers",
                            fleet.stream()
                                    .filter(worker -> worker.runs(name, at))
                                    .count());
            Types.numbersOf(numbers.getOrDefault(name, new TypeCounts(Map.of(), null)), type);
            types.histories().putPercentiles(name, type);
        }
        ArrayNode summaries = json.putArray("workers");
        fleet.forEach(worker -> summaries.add(Workers.summary(worker, now)));
        json.set("history", hub.history());
        return json;
    }
}

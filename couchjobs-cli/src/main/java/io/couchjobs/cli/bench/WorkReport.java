package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * The work of a process's workers since they started.
 *
 * @param claimed jobs claimed
 * @param succeeded runs that ended well
 * @param conflicts claims lost to other workers
 * @param requests requests sent to the server
 * @param cpuMillis processor time of the whole process since it was started; 0 when it is unknown
 */
record WorkReport(long claimed, long succeeded, long conflicts, long requests, long cpuMillis) {
    static final WorkReport NOTHING = new WorkReport(0, 0, 0, 0, 0);

    static WorkReport of(JsonNode json) {
        return new WorkReport(
                json.path("claimed").asLong(),
                json.path("succeeded").asLong(),
                json.path("conflicts").asLong(),
                json.path("requests").asLong(),
                json.path("cpu_ms").asLong());
    }

    static WorkReport sum(List<WorkReport> reports) {
        return reports.stream().reduce(NOTHING, WorkReport::plus);
    }

    ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("claimed", claimed)
                .put("succeeded", succeeded)
                .put("conflicts", conflicts)
                .put("requests", requests)
                .put("cpu_ms", cpuMillis);
    }

    WorkReport plus(WorkReport other) {
        return new WorkReport(
                claimed + other.claimed,
                succeeded + other.succeeded,
                conflicts + other.conflicts,
                requests + other.requests,
                cpuMillis + other.cpuMillis);
    }

    WorkReport minus(WorkReport other) {
        return new WorkReport(
                claimed - other.claimed,
                succeeded - other.succeeded,
                conflicts - other.conflicts,
                requests - other.requests,
                cpuMillis - other.cpuMillis);
    }

    /** Returns how many claims were tried. */
    long attempts() {
        return claimed + conflicts;
    }
}

package io.couchjobs.dashboard.failures;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobId;
import java.time.Instant;
import java.util.List;

/**
 * Jobs of one type whose last error says the same, numbers and ids aside. Immutable.
 *
 * @param id the name of the group: twelve hexadecimal digits that depend on type and message alone
 * @param type the type
 * @param message the error message without the parts that differ from job to job
 * @param failed how many jobs have failed for good
 * @param stuck how many jobs wait for a retry
 * @param first the earliest time at which one of the jobs failed last
 * @param last the latest time at which one of the jobs failed
 * @param example the job that failed at that time
 * @param hours how many of the jobs failed last in each of the last 24 hours, the present hour at the end
 */
public record FailureGroup(
        String id,
        String type,
        String message,
        long failed,
        long stuck,
        Instant first,
        Instant last,
        JobId example,
        List<Long> hours) {
    /** {@return the number of jobs in the group} */
    public long count() {
        return failed + stuck;
    }

    /** {@return how many of the jobs failed within the last hour} */
    public long lastHour() {
        return hours.get(hours.size() - 1);
    }

    /** {@return the group as JSON for programs} */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("group", id)
                .put("type", type)
                .put("message", message)
                .put("count", count())
                .put("failed", failed)
                .put("stuck", stuck)
                .put("first", first.toString())
                .put("last", last.toString())
                .put("example", example.id());
        ArrayNode perHour = json.putArray("perHour");
        hours.forEach(perHour::add);
        return json;
    }
}

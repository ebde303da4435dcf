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
 * @param id its name: twelve digits that depend on type and message alone
 * @param type the type
 * @param message the error without what differs from job to job
 * @param failed how many have failed for good
 * @param stuck how many are to be retried
 * @param first when the first of them failed last
 * @param last when the last of them failed last
 * @param example the one that failed last
 * @param hours how many of them failed last in each of the last 24 hours, the present one at the end
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
    /** {@return how many jobs are in it} */
    public long count() {
        return failed + stuck;
    }

    /** {@return how many of them failed within the last hour} */
    public long lastHour() {
        return hours.get(hours.size() - 1);
    }

    /** {@return the group for programs} */
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

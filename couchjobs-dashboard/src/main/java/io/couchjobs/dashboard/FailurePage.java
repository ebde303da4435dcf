package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.admin.History;
import io.couchjobs.dashboard.failures.FailureGroup;
import io.couchjobs.dashboard.failures.Failures;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The page of failures: failed and stuck jobs in groups of the same failure. Thread-safe. */
final class FailurePage {
    private static final Duration FRESH = Duration.ofSeconds(2);
    /** How far back to look for a mark, such as a deployment. */
    private static final Duration MARKS = Duration.ofDays(7);

    private static final int MOST_GROUPS = 200;

    private final JobQueue queue;
    private final Failures failures;
    private final Cached<ObjectNode> cached;

    FailurePage(JobQueue queue) {
        this.queue = queue;
        this.failures = new Failures(queue, Optional.empty(), Instant.MIN);
        this.cached = new Cached<>(FRESH, this::read, queue.operations()::building);
    }

    ObjectNode json() {
        return cached.get().deepCopy().put("now", ServerTime.millis(queue));
    }

    /** {@return the jobs of a group that an action applies to} */
    Stream<JobId> jobs(String group, String action) {
        cached.forget();
        return switch (action) {
            case "retry" -> failures.toRetry(group);
            case "cancel" -> failures.toCancel(group);
            default -> throw new Refusal(400, "a group of failures is retried or cancelled, not: " + action);
        };
    }

    private ObjectNode read() {
        Instant now = ServerTime.of(queue);
        ObjectNode json = Call.JSON.createObjectNode();
        ArrayNode groups = json.putArray("groups");
        List<FailureGroup> latestFirst = failures.groups(now);
        latestFirst.stream().limit(MOST_GROUPS).map(FailurePage::json).forEach(groups::add);
        json.put("more", latestFirst.size() - groups.size());
        List<History.Mark> marks = queue.operations().history().marks(now.minus(MARKS), now);
        marks.stream().reduce((one, other) -> other).ifPresent(mark -> json.putObject("mark")
                .put("at", mark.at().toEpochMilli())
                .put("text", mark.text()));
        return json;
    }

    private static ObjectNode json(FailureGroup group) {
        return group.json()
                .put("first", group.first().toEpochMilli())
                .put("last", group.last().toEpochMilli());
    }
}

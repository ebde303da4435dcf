package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import java.time.Instant;
import java.util.function.Function;

/** The actions that people can take on a job. Thread-safe. */
final class Actions {
    private final JobQueue queue;

    Actions(JobQueue queue) {
        this.queue = queue;
    }

    ObjectNode act(ObjectNode body) {
        JobId id = new JobId(body.path("type").asText(), body.path("id").asText());
        return Call.JSON.createObjectNode().put("done", action(body).apply(id));
    }

    /** {@return a function that takes the action of the body and returns, in the past tense, what it did} */
    Function<JobId, String> action(ObjectNode body) {
        String name = body.path("action").asText();
        return switch (name) {
            case "retry" -> this::retry;
            case "cancel" -> this::cancel;
            case "remove" -> this::remove;
            case "release" -> this::release;
            case "reschedule" -> {
                Instant time = time(body);
                yield id -> reschedule(id, time);
            }
            default -> throw new Refusal(400, "there is no action " + name);
        };
    }

    /** {@return as {@link #action}, but for the jobs of a group of failures: a job that runs again by now is not cancelled} */
    Function<JobId, String> ofFailures(ObjectNode body) {
        return body.path("action").asText().equals("cancel") ? this::cancelFailure : action(body);
    }

    private String cancelFailure(JobId id) {
        return switch (queue.cancel(id, CancelMode.IF_QUEUED)) {
            case CANCELLED -> "cancelled";
            case AT_NEXT_CLAIM -> "will be cancelled by the next claim";
            case REQUESTED, RUNNING, ALREADY_FINISHED ->
                throw new JobRefusedException(id, "is not stuck any more; nothing was written");
        };
    }

    private static Instant time(ObjectNode body) {
        if (!body.path("time").isIntegralNumber()) {
            throw new Refusal(400, "to reschedule needs a time");
        }
        return Instant.ofEpochMilli(body.path("time").asLong());
    }

    private String retry(JobId id) {
        queue.retryNow(id.type(), id.id());
        return "will run again now";
    }

    private String cancel(JobId id) {
        return switch (queue.cancel(id.type(), id.id(), CancelMode.REQUEST)) {
            case CANCELLED -> "cancelled";
            case REQUESTED -> "asked to stop";
            case AT_NEXT_CLAIM -> "will be cancelled by the next claim";
            case RUNNING, ALREADY_FINISHED -> throw new Refusal(409, "it is finished already");
        };
    }

    private String remove(JobId id) {
        queue.remove(id.type(), id.id());
        return "removed";
    }

    private String release(JobId id) {
        queue.operations().release(id.type(), id.id());
        return "taken from its owner";
    }

    private String reschedule(JobId id, Instant time) {
        queue.reschedule(id.type(), id.id(), time);
        return "rescheduled";
    }
}

package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs the job that stands for a trigger: who owns it follows the trigger's sources. So a trigger has one follower at a time, and another
 * one when that dies, as any job has. The run ends when the trigger does. Thread-safe.
 */
final class Follower implements JobHandler<ObjectNode> {
    /** The type of these jobs. */
    static final String TYPE = "couchjobs-trigger";

    private final FollowerTools tools;
    private final Map<String, Following> running = new ConcurrentHashMap<>();

    Follower(FollowerTools tools) {
        this.tools = tools;
    }

    /** The job of a trigger. It carries its connection as its class, so that only processes that have it take it. */
    static JobRequest job(Trigger trigger) {
        JobRequest.Builder job = JobRequest.builder(TYPE)
                .id(trigger.name())
                .data(Map.of())
                .origin(Trigger.docId(trigger.name()))
                .maxRetries(Integer.MAX_VALUE);
        trigger.connection().ifPresent(job::jobClass);
        trigger.site().ifPresent(job::site);
        return job.build();
    }

    @Override
    public @Nullable Object handle(ObjectNode data, JobContext context) throws InterruptedException {
        String name = context.id().id();
        Optional<Trigger> trigger = present(name, context);
        while (trigger.isPresent()) {
            try (Following following = new Following(tools, trigger.get(), () -> isOwner(context))) {
                running.put(name, following);
                try {
                    following.run();
                } finally {
                    running.remove(name, following);
                }
            }
            if (!isOwner(context)) {
                throw new InterruptedException("another process follows trigger " + name);
            }
            trigger = present(name, context);
        }
        return null;
    }

    private static boolean isOwner(JobContext context) {
        return context.stopReason().isEmpty() && !context.isLeaseOver();
    }

    private Optional<Trigger> present(String name, JobContext context) {
        return tools.triggers()
                .read(name)
                .flatMap(TriggerStore::parsed)
                .filter(Trigger::isEnabled)
                .filter(trigger -> trigger.connection().equals(context.job().jobClass()));
    }

    /** A document of a trigger changed. */
    void changed(String trigger, String docId, String rev) {
        Following following = running.get(trigger);
        if (following != null) {
            following.changed(docId, rev);
        }
    }
}

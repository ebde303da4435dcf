package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the job that stands for a trigger. The owner of that job follows the trigger's sources, so a trigger has one follower at a
 * time. When the owner dies, another process takes over, as with any job. The run ends when the trigger is removed or paused.
 * Thread-safe.
 */
final class Follower implements JobHandler<ObjectNode> {
    /** The type of the jobs that stand for triggers. */
    static final String TYPE = "couchjobs-trigger";

    private static final Logger log = LoggerFactory.getLogger(Follower.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final FollowerTools tools;
    private final Map<String, Following> running = new ConcurrentHashMap<>();

    Follower(FollowerTools tools) {
        this.tools = tools;
    }

    /**
     * Returns the job that stands for a trigger. The job's class is the name of the connection, so only processes with that
     * connection take it.
     */
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
        Backoff troubles = new Backoff(tools.environment(), SHORTEST_PAUSE, LONGEST_PAUSE);
        while (isFollowed(context, troubles)) {
            if (!isOwner(context)) {
                throw new InterruptedException(
                        "another process follows trigger " + context.id().id());
            }
        }
        return null;
    }

    /**
     * Follows the trigger until it changes. An exception does not fail the run: each failure would delay all later runs, because no
     * run of this job ever succeeds.
     *
     * @return whether the trigger is still to be followed
     */
    private boolean isFollowed(JobContext context, Backoff troubles) throws InterruptedException {
        String name = context.id().id();
        try {
            Optional<Trigger> trigger = present(name, context);
            if (trigger.isPresent()) {
                follow(trigger.get(), context);
                troubles.reset();
            }
            return trigger.isPresent();
        } catch (RuntimeException trouble) {
            log.warn("trigger {} cannot be followed, trying again soon: {}", name, trouble.toString());
            log.debug("the cause", trouble);
            troubles.pause();
            return true;
        }
    }

    private void follow(Trigger trigger, JobContext context) throws InterruptedException {
        try (Following following = new Following(tools, trigger, () -> isOwner(context))) {
            running.put(trigger.name(), following);
            try {
                // The feed did not report changes to this object between the first reading and this moment.
                if (present(trigger.name(), context).filter(following::isOf).isPresent()) {
                    following.run();
                }
            } finally {
                running.remove(trigger.name(), following);
            }
        }
    }

    private static boolean isOwner(JobContext context) {
        return context.stopReason().isEmpty() && !context.isLeaseOver();
    }

    private Optional<Trigger> present(String name, JobContext context) {
        return tools.trigger(name).filter(Trigger::isEnabled).filter(trigger -> trigger.connection()
                .equals(context.job().jobClass()));
    }

    /** Ends each following whose trigger was removed or changed. Called with all triggers after changes may have been missed. */
    void looked(List<Trigger> all) {
        running.values().stream()
                .filter(following -> all.stream().noneMatch(following::isOf))
                .forEach(Following::end);
    }

    /** Ends all followings, because changes of triggers and positions may have been missed. */
    void gap() {
        running.values().forEach(Following::end);
    }

    /** Handles a change of a trigger's own document or of one of its positions. */
    void changed(String trigger, String docId, String rev) {
        Following following = running.get(trigger);
        if (following != null) {
            following.changed(docId, rev);
        }
    }
}

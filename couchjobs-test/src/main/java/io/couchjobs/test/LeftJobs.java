package io.couchjobs.test;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The types that still have due jobs after a drain, because {@code handler(type, ...)} was not called for them. A test may leave
 * jobs on purpose, so the warning is logged only once per type. A failing assertion on such a type repeats the warning in its
 * message. Not thread-safe.
 */
final class LeftJobs {
    private static final Logger log = LoggerFactory.getLogger(TestQueue.class);

    private final JobQueue queue;
    private final Set<String> told = new HashSet<>();
    private Set<String> types = Set.of();
    private String handlers = "";

    LeftJobs(JobQueue queue) {
        this.queue = queue;
    }

    /** Finds the types that still have due jobs. When {@link TestFaults} makes this request fail, no type is reported. */
    void look(Collection<String> withHandler, Instant now) {
        Set<String> left = new TreeSet<>();
        try {
            queue.types().counts().forEach((type, counts) -> {
                boolean due = counts.oldestPending()
                        .filter(time -> !time.isAfter(now))
                        .isPresent();
                if (due && !withHandler.contains(type)) {
                    left.add(type);
                }
            });
        } catch (CouchJobsException untold) {
            log.debug("what draining left is not known", untold);
        }
        types = left;
        handlers = withHandler.isEmpty()
                ? "no type was given a handler"
                : "the types with a handler are " + String.join(", ", List.copyOf(withHandler));
        left.stream().filter(told::add).forEach(type -> log.warn(sentence(type)));
    }

    /** {@return the line to append to the message of a failed assertion on a type; empty when the type has no jobs left} */
    String hint(String type) {
        return types.contains(type) ? "\n" + sentence(type) : "";
    }

    private String sentence(String type) {
        return "drain() left due jobs of type " + type
                + ". handler(type, ...) gave it no handler; where another exists, a pause or a"
                + " limit keeps the jobs; " + handlers;
    }
}

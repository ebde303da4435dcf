package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Strategy;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the jobs that a worker takes, and their order. Immutable.
 *
 * @param filter which jobs to take, or null for all
 * @param classes the classes to take, or null for all
 */
record Selection(
        Strategy strategy,
        @Nullable Predicate<? super Job> filter,
        @Nullable Set<String> classes) {
    static final Selection ALL = new Selection(Strategy.FIFO, null, null);

    Selection strategy(Strategy order) {
        return new Selection(order, filter, classes);
    }

    Selection filter(Predicate<? super Job> newFilter) {
        return new Selection(strategy, newFilter, classes);
    }

    Selection classes(List<String> names) {
        return new Selection(strategy, filter, Set.copyOf(names));
    }

    /** Rejects a filter that fails on the simplest possible job of a type. */
    static void probe(@Nullable Predicate<? super Job> filter, Set<String> types) {
        if (filter == null) {
            return;
        }
        for (String type : types) {
            try {
                boolean unused = filter.test(sample(type));
            } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
                throw new IllegalArgumentException(
                        "the filter fails for a job of type " + type
                                + " that has nothing but a type and an id, as any client may add it: " + e,
                        e);
            }
        }
    }

    private static Job sample(String type) {
        return Job.parse(JsonNodeFactory.instance.objectNode().put("_id", new JobId(type, "sample").docId()));
    }
}

package io.couchjobs.engine.due;

import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.job.Job;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The known pending jobs of a type, in the order of spots. */
interface Pool {
    /** The first job of a range, without its end, that is due by a time; those that are skipped do not count. */
    Found first(LaneKey from, LaneKey before, Instant until, Predicate<Job> skipped);

    /** As {@link #first}, and those that follow it, as far as they are known. */
    List<Job> several(LaneKey from, LaneKey before, Instant until, Predicate<Job> skipped, int most);

    /**
     * The result of a look: a job, or where the index must be read first, or no job at all.
     *
     * @param unread from where on the index must be read first
     */
    record Found(@Nullable Job job, @Nullable LaneKey unread) {
        static final Found NONE = new Found(null, null);

        static Found job(Job job) {
            return new Found(job, null);
        }

        static Found unread(LaneKey from) {
            return new Found(null, from);
        }
    }
}

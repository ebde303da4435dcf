package io.couchjobs.engine.due;

import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.job.Job;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The known pending jobs of a line, in the order of their keys. */
interface Pool {
    /** Returns the first job of a range that is due by {@code until} and not skipped. The range excludes its end. */
    Found first(LaneKey from, LaneKey before, Instant until, Predicate<Job> skipped);

    /** Returns the first jobs of a range that are due by {@code until} and not skipped, as far as they are known. */
    List<Job> several(LaneKey from, LaneKey before, Instant until, Predicate<Job> skipped, int most);

    /**
     * The result of a search: a job, or where the index must be read first, or no job at all.
     *
     * @param unread the key from which the index must be read first
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

package io.couchjobs.engine.limit;

import io.couchjobs.job.Job;
import java.util.function.Predicate;

/**
 * Which due jobs may be claimed now. Immutable; asking it needs no I/O.
 *
 * @param inAllGroups whether no group is without room: otherwise those behind full ones are looked for in the index by groups
 * @param admits whether a job may be claimed now
 */
public record Room(boolean inAllGroups, Predicate<Job> admits) implements Predicate<Job> {
    public static final Room FOR_ALL = new Room(true, job -> true);

    @Override
    public boolean test(Job job) {
        return admits.test(job);
    }

    /** The same, but for jobs that are to be left alone for now, of whatever group. */
    public Room only(Predicate<Job> free) {
        return new Room(inAllGroups, admits.and(free));
    }
}

package io.couchjobs.engine.limit;

import io.couchjobs.job.Job;
import java.util.function.Predicate;

/**
 * Which due jobs may be claimed now. Immutable; asking it needs no I/O.
 *
 * @param inAllGroups whether every group has room; otherwise jobs behind those of full groups are looked for in the
 *     index by groups
 * @param admits whether the group of a job has room
 * @param isFree whether a job, whatever its group, need not be left alone for now
 */
public record Capacity(boolean inAllGroups, Predicate<Job> admits, Predicate<Job> isFree) implements Predicate<Job> {
    public static final Capacity FOR_ALL = new Capacity(true, job -> true);

    public Capacity(boolean inAllGroups, Predicate<Job> admits) {
        this(inAllGroups, admits, job -> true);
    }

    @Override
    public boolean test(Job job) {
        return admits.test(job) && isFree.test(job);
    }

    /** The same, without jobs of any group that are to be left alone for now. */
    public Capacity only(Predicate<Job> free) {
        return new Capacity(inAllGroups, admits, isFree.and(free));
    }
}

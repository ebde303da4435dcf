package io.couchjobs.engine.limit;

import io.couchjobs.job.Job;
import java.util.function.Predicate;

/**
 * Decides which due jobs may be claimed now. Immutable; testing a job needs no I/O.
 *
 * @param inAllGroups whether every group has room; otherwise the index by groups is searched for jobs behind those of
 *     full groups
 * @param admits whether the group of a job has room
 * @param isFree whether a job, whatever its group, may be claimed now
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

    /** Returns the same capacity without the jobs, of any group, that must be left alone for now. */
    public Capacity only(Predicate<Job> free) {
        return new Capacity(inAllGroups, admits, isFree.and(free));
    }
}

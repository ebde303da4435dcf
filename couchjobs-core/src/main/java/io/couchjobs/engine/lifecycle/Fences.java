package io.couchjobs.engine.lifecycle;

import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;

/** The fences of jobs: numbers that grow with every claim, over removals, too. Pure functions. */
public final class Fences {
    private Fences() {}

    /** {@return the fence that counts: a claim that was withdrawn never happened} */
    public static long effective(Job job) {
        return job.isWithdrawn() ? Math.max(0, job.fence() - 1) : job.fence();
    }

    /**
     * {@return how far the story of the job has come: its effective fence, or where it has none yet, the number that
     * its first claim will count on from}
     */
    public static long story(Job job) {
        return hasFence(job) ? effective(job) : Math.max(0, generation(job) - 1);
    }

    /**
     * {@return the fence of the next claim} The first fence of a document derives from the revision that it builds on, and
     * is greater than all fences of a removed job of this identity. A fence at the end of its range stays there.
     */
    public static long next(Job job) {
        return hasFence(job) ? Math.min(job.fence() + 1, Integer.MAX_VALUE) : Math.max(1, generation(job));
    }

    /** {@return whether the document has one: a job that was claimed, or that is put back from a copy} */
    public static boolean hasFence(Job job) {
        return job.document().hasNonNull(Field.FENCE);
    }

    /** {@return how many times the document was written, tombstones included; 0 for a job that is not stored yet} */
    public static long generation(Job job) {
        return Rev.generation(job.rev().orElse(""));
    }
}

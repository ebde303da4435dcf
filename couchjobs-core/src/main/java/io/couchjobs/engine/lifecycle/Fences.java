package io.couchjobs.engine.lifecycle;

import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;

/** The fences of jobs: numbers that grow with each claim, even across a removal of the job. Pure functions. */
public final class Fences {
    private Fences() {}

    /** {@return the fence that counts; a withdrawn claim counts as never made} */
    public static long effective(Job job) {
        return job.isWithdrawn() ? Math.max(0, job.fence() - 1) : job.fence();
    }

    /**
     * {@return the effective fence of the job; before the first claim, the number from which the fence of that claim will
     * count on}
     */
    public static long story(Job job) {
        return hasFence(job) ? effective(job) : Math.max(0, generation(job) - 1);
    }

    /**
     * {@return the fence of the next claim} The first fence of a document derives from the revision that the claim builds
     * on. It is greater than all fences of a removed job of this identity. The greatest possible fence does not grow
     * further.
     */
    public static long next(Job job) {
        return hasFence(job) ? Math.min(job.fence() + 1, Integer.MAX_VALUE) : Math.max(1, generation(job));
    }

    /** {@return whether the document has a fence, because the job was claimed, or was restored from a backup} */
    public static boolean hasFence(Job job) {
        return job.document().hasNonNull(Field.FENCE);
    }

    /** {@return how many times the document was written, tombstones included; 0 for a job that is not stored yet} */
    public static long generation(Job job) {
        return Rev.generation(job.rev().orElse(""));
    }
}

package io.couchjobs.engine.store;

import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;

/**
 * Where in the story of a job something stands. The story goes on with each claim and each wish of a creator, which have numbers
 * (fences) of their own; within one it goes from the run to what came of it. The number of a revision tells nothing on a cluster: a leaf
 * that loses may have been written more often. It only orders what is equal otherwise, and removals, of which nothing else is known.
 * Immutable and thread-safe.
 */
public record Story(boolean gone, long fence, int chapter, long generation) {
    static Story of(Job job) {
        String rev = job.rev().orElse("");
        return new Story(false, job.storyFence(), chapter(job), Rev.generation(rev));
    }

    static Story gone(String rev) {
        return new Story(true, 0, 0, Rev.generation(rev));
    }

    boolean isLaterThan(Story other) {
        if (gone || other.gone || (fence == other.fence && chapter == other.chapter)) {
            return generation > other.generation;
        }
        return fence == other.fence ? chapter > other.chapter : fence > other.fence;
    }

    private static int chapter(Job job) {
        return switch (job.status()) {
            case SCHEDULED, RUNNING -> 0;
            case WAITING, STUCK -> 1;
            case CANCELLED -> 2;
            case SUCCESS, FAILED -> 3;
        };
    }
}

package io.couchjobs.engine.store;

import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.job.Job;

/**
 * A position in the story of a job. The story goes on with each claim and each request of a creator, which have numbers
 * (fences) of their own; within one fence it goes from the run to its result. The number of a revision alone tells
 * nothing on a cluster: a losing leaf may have been written more often. It only orders positions that are otherwise
 * equal, and removals, for which nothing else is known. Immutable and thread-safe.
 */
public record Story(boolean gone, long fence, int chapter, long generation) {
    static Story of(Job job) {
        String rev = job.rev().orElse("");
        return new Story(false, Fences.story(job), chapter(job), Rev.generation(rev));
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

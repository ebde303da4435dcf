package io.couchjobs.dashboard.explain;

import io.couchjobs.JobQueue;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedDocumentException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds a circle of jobs that wait for each other. Not thread-safe. */
final class Circle {
    private static final int MOST_READ = 100;

    private final JobQueue queue;
    private final JobId start;
    private final Set<JobId> read = new HashSet<>();

    private Circle(JobQueue queue, JobId start) {
        this.queue = queue;
        this.start = start;
    }

    /**
     * Returns the other jobs of the circle: the start waits for the first, each job waits for the next, and the last waits for
     * the start. Empty when there is no circle.
     */
    static Optional<List<JobId>> through(JobQueue queue, JobId start, After after) {
        return new Circle(queue, start).through(after);
    }

    private Optional<List<JobId>> through(After after) {
        return after.jobs().stream().flatMap(id -> way(id).stream()).findFirst();
    }

    /** Returns the jobs on the path from a job back to the start, without the start; empty when no path is found. */
    private Optional<List<JobId>> way(JobId id) {
        if (id.equals(start)) {
            return Optional.of(List.of());
        } else if (read.size() >= MOST_READ || !read.add(id)) {
            return Optional.empty();
        }
        return after(id).flatMap(this::through).map(rest -> Stream.concat(Stream.of(id), rest.stream())
                .toList());
    }

    private Optional<After> after(JobId id) {
        try {
            return queue.get(id).flatMap(Job::after);
        } catch (MalformedDocumentException wrong) {
            return Optional.empty();
        }
    }
}

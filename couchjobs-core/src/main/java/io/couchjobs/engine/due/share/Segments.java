package io.couchjobs.engine.due.share;

import io.couchjobs.job.JobId;
import java.util.ArrayList;
import java.util.List;

/**
 * This worker's share of a long line of jobs, in whole segments: updating documents that are neighbours is twice as
 * cheap for the server. All workers agree about the segments without communication. The hash of a job's id decides
 * whether a segment begins there. The segment belongs to the worker that is first by rank for that job. When the first
 * job of a segment is gone, later readers of the index add the rest of the segment to the one before. That costs a few
 * lost claims. Thread-safe.
 */
public final class Segments {
    /** The average number of jobs in a segment. */
    private static final int STRETCH = 64;

    private static final String HEAD = "-";

    private final WorkerRanking ranking;
    private final String type;
    private boolean isOurs;

    Segments(WorkerRanking ranking, String type) {
        this.ranking = ranking;
        this.type = type;
        this.isOurs = isFirst(new JobId(type, HEAD));
    }

    /** Returns this worker's share of the next jobs in line, which begin where the jobs of the last call ended. */
    public synchronized List<JobId> of(List<JobId> inLine) {
        List<JobId> ours = new ArrayList<>();
        for (JobId id : inLine) {
            if (begins(id)) {
                isOurs = isFirst(id);
            }
            if (isOurs) {
                ours.add(id);
            }
        }
        return ours;
    }

    private boolean isFirst(JobId id) {
        return id.type().equals(type) && ranking.standing(id).rank() == 0;
    }

    private static boolean begins(JobId id) {
        long bits = 0x9E3779B97F4A7C15L * id.hashCode();
        bits = (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
        return (bits >>> 32) % STRETCH == 0;
    }
}

package io.couchjobs.cli.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The figures to measure, and the size of each measurement.
 *
 * @param figures what to measure
 * @param rounds how often each rate is measured, raw and product in turn; at least 1
 * @param jobs how many jobs a rate is measured with; at least 10
 * @param size the bytes of a job's document; a size below that of an empty job counts as that size
 * @param backlog how many other jobs are in the database in {@link Figure#BACKLOG} and {@link Figure#MEMORY}; at least 1
 * @param processes how many worker processes compete, and the largest such number in {@link Figure#PROCESSES}; at least 1
 * @param concurrency how many jobs each worker runs at once; at least 1
 * @param samples how many jobs each round of {@link Figure#WAKEUP}, and {@link Figure#HERD}, adds one by one; at least 1
 * @param herd how many workers wait for one job in {@link Figure#HERD}; at least 1
 * @param listeners how many clients listen at most in {@link Figure#FLEET}; at least 1
 * @param idle how long an idle worker is watched
 */
public record Plan(
        Set<Figure> figures,
        int rounds,
        int jobs,
        int size,
        int backlog,
        int processes,
        int concurrency,
        int samples,
        int herd,
        int listeners,
        Duration idle) {
    static final int SMALL_BACKLOG = 1_000;
    static final int THREADS = 16;
    private static final Duration SETTLING = Duration.ofSeconds(3);

    /**
     * Checks the values.
     *
     * @param figures what to measure
     * @param rounds how often
     * @param jobs how many jobs
     * @param size bytes of a job
     * @param backlog how many other jobs
     * @param processes how many processes
     * @param concurrency how many jobs at once
     * @param samples how many jobs one by one
     * @param herd how many workers
     * @param listeners how many clients
     * @param idle how long
     * @throws IllegalArgumentException with a message that names everything that is wrong
     */
    public Plan {
        List<String> problems = new ArrayList<>();
        require(problems, !figures.isEmpty(), "name at least one figure");
        require(problems, rounds >= 1, "there must be at least 1 round: " + rounds);
        require(problems, jobs >= 10, "there must be at least 10 jobs: " + jobs);
        require(problems, size >= 0 && size <= 1_000_000, "a job's size is from 0 to 1000000 bytes: " + size);
        require(problems, backlog >= 1, "the backlog must have at least 1 job: " + backlog);
        require(problems, processes >= 1 && processes <= 64, "there can be from 1 to 64 processes: " + processes);
        require(problems, concurrency >= 1, "concurrency must be at least 1: " + concurrency);
        require(problems, samples >= 1, "there must be at least 1 sample: " + samples);
        require(problems, herd >= 1 && herd <= 1_000, "a herd has from 1 to 1000 workers: " + herd);
        require(problems, listeners >= 1 && listeners <= 1_000, "from 1 to 1000 clients can listen: " + listeners);
        require(problems, idle.toMillis() > 0, "the time to be idle must be positive: " + idle);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        figures = EnumSet.copyOf(figures);
    }

    boolean has(Figure figure) {
        return figures.contains(figure);
    }

    /** Returns how long workers that have just started are left alone, before a measurement that needs idle workers. */
    Duration settling() {
        return idle.compareTo(SETTLING) < 0 ? idle : SETTLING;
    }

    private static void require(List<String> problems, boolean holds, String problem) {
        if (!holds) {
            problems.add(problem);
        }
    }
}

package io.couchjobs.engine.due.share;

import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Decides whether it is this worker's turn to claim a job. Not thread-safe.
 *
 * <p>Each job belongs to the worker that is first by rank; all workers agree without communication ({@link
 * WorkerRanking}). The other workers leave the job to that worker, and take it over in turn when it is not claimed. The
 * second by rank waits for one pause, the third for two, the fourth for two and a half. The wait grows ever more
 * slowly: the last of a thousand workers waits for eleven pauses. Within a pause, this process is nearly certain to
 * hear of a claim, if there was one ({@link FeedDelay}).
 *
 * <p>The wait for a job begins when this process first saw it pending: a long queue does not mean that a worker is
 * idle. For the same reason a worker that goes on claiming keeps its jobs, but not for ever: its filter or its classes
 * may refuse a job. The second by rank takes over such a job after a minute.
 *
 * <p>An idle worker helps an overloaded one from the other end of its share, so that the two seldom meet.
 */
public final class ClaimTurns {
    private static final Duration SHORTEST = Duration.ofMillis(40);
    private static final Duration LONGEST = Duration.ofSeconds(2);
    /** The pause after which a worker that goes on claiming seems to refuse a job. */
    private static final Duration REFUSED = Duration.ofMinutes(1);

    private static final int MOST_SIGHTS = 20_000;
    private static final int SAFETY = 3;
    private static final int HELP_AFTER = 2;

    private final WorkerRanking ranking;
    /** The times when this process first saw the last few thousand pending jobs, by document id. */
    private final Map<String, Sight> sights = RecentMap.byAge(MOST_SIGHTS);

    private final FeedDelay delay = new FeedDelay();

    public ClaimTurns(WorkerRanking ranking) {
        this.ranking = ranking;
    }

    /** {@return the delay of the feed, which decides how long a pause must be} */
    public FeedDelay lag() {
        return delay;
    }

    /** Returns whether the job belongs to this worker, or the worker that it belongs to does not claim it. */
    public boolean isOurs(Job job, long nanos) {
        return untilOurs(job, nanos) <= 0;
    }

    /**
     * Returns how long the job is left to other workers, if they do not claim meanwhile; not positive when it may be
     * taken now.
     */
    public Duration untilTurn(Job job, long nanos) {
        return Duration.ofNanos(Math.min(untilOurs(job, nanos), untilHelp(job, nanos)));
    }

    /**
     * Returns the jobs with which an idle worker helps: the last of the jobs that it {@linkplain #mayHelp may help
     * with}, and at most half of these.
     *
     * @param others jobs of other workers, in order
     */
    public List<Job> help(List<Job> others, int most, long nanos) {
        List<Job> waiting = others.stream().filter(job -> mayHelp(job, nanos)).toList();
        int some = Math.min(most, (waiting.size() + 1) / 2);
        return waiting.subList(waiting.size() - some, waiting.size());
    }

    /** Returns whether the job has been waiting so long that its worker seems overloaded. */
    public boolean mayHelp(Job job, long nanos) {
        return untilHelp(job, nanos) <= 0;
    }

    private long untilOurs(Job job, long nanos) {
        WorkerRanking.Standing standing = ranking.standing(job.id());
        if (standing.first() == null) {
            return 0;
        }
        long waiting = age(job, nanos);
        long untilFree = turn(standing.rank(), pause(nanos))
                - Math.min(waiting, standing.first().idle(nanos));
        return Math.min(untilFree, turn(standing.rank(), REFUSED) - waiting);
    }

    private long untilHelp(Job job, long nanos) {
        int rank = ranking.rank(job);
        return rank == 0 ? 0 : HELP_AFTER * turn(rank, pause(nanos)) - age(job, nanos);
    }

    /** Returns how long ago this process was first asked about a job in its present revision. */
    private long age(Job job, long nanos) {
        String rev = job.rev().orElse("");
        Sight first = sights.compute(
                job.id().docId(),
                (id, known) -> known != null && known.rev().equals(rev) ? known : new Sight(rev, nanos));
        return nanos - first.nanos();
    }

    /**
     * Returns the time until the turn of a rank: one pause for the second worker, two for the third, two and a half for
     * the fourth, and so on.
     */
    private static long turn(int rank, Duration pause) {
        int before = Integer.highestOneBit(rank);
        double pauses = Integer.numberOfTrailingZeros(before) + (double) rank / before;
        return (long) (pauses * pause.toNanos());
    }

    private Duration pause(long nanos) {
        Duration pause = delay.most(nanos).multipliedBy(SAFETY);
        if (pause.compareTo(SHORTEST) < 0) {
            return SHORTEST;
        }
        return pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
    }

    private record Sight(String rev, long nanos) {}
}

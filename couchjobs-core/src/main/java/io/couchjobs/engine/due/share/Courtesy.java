package io.couchjobs.engine.due.share;

import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.List;

/**
 * Whether it is this worker's turn to claim a job. Not thread-safe.
 *
 * <p>Each job has a worker whose it is, by rank; all agree without talking ({@link Peers}). The others leave it to that one, and
 * take it over in turn when it is not claimed: the second by rank after a pause, the third after two, and so on, with ever more
 * of them to a pause, so that the last of a thousand waits for eleven. A pause is as long as it takes to be nearly certain to have
 * heard of a claim, if there was one ({@link Lag}). A job waits from the moment when this process first saw it waiting: that a
 * queue is long does not mean that somebody is idle. For the same reason nobody takes over from a worker that goes on claiming.
 *
 * <p>Whoever has nothing else to do helps such a worker all the same, from the other end of its share, so that the two seldom
 * meet.
 */
public final class Courtesy {
    private static final Duration SHORTEST = Duration.ofMillis(40);
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int SAFETY = 3;
    private static final int HELP_AFTER = 2;

    private final Peers peers;
    private final FirstSeen firstSeen = new FirstSeen();
    private final Lag lag = new Lag();

    public Courtesy(Peers peers) {
        this.peers = peers;
    }

    /** What tells how long a pause must be. */
    public Lag lag() {
        return lag;
    }

    /** Whether the job is this worker's, or its worker does not come for it. */
    public boolean isOurs(Job job, long nanos) {
        return untilOurs(job, nanos) <= 0;
    }

    /** How long the job is left to others, if nothing is heard of them; not positive when it is left to nobody. */
    public Duration untilTurn(Job job, long nanos) {
        return Duration.ofNanos(Math.min(untilOurs(job, nanos), untilHelp(job, nanos)));
    }

    /** What somebody takes that has nothing to do: of the jobs, the oldest first, not more than half, and the last ones. */
    public List<Job> help(List<Job> others, int most, long nanos) {
        List<Job> waiting = others.stream().filter(job -> mayHelp(job, nanos)).toList();
        int some = Math.min(most, (waiting.size() + 1) / 2);
        return waiting.subList(waiting.size() - some, waiting.size());
    }

    /** Whether the job has been waiting so long that its worker has too much to do. */
    public boolean mayHelp(Job job, long nanos) {
        return untilHelp(job, nanos) <= 0;
    }

    private long untilOurs(Job job, long nanos) {
        Peers.Standing standing = peers.standing(job.id());
        if (standing.first() == null) {
            return 0;
        }
        long waiting = firstSeen.age(job, nanos).toNanos();
        return turn(standing.rank(), nanos) - Math.min(waiting, standing.first().idle(nanos));
    }

    private long untilHelp(Job job, long nanos) {
        int rank = peers.rank(job);
        return rank == 0
                ? 0
                : HELP_AFTER * turn(rank, nanos) - firstSeen.age(job, nanos).toNanos();
    }

    /** The turn of the second comes after one pause, of the third after two, of the fourth after two and a half, of the fifth ... */
    private long turn(int rank, long nanos) {
        int before = Integer.highestOneBit(rank);
        double pauses = Integer.numberOfTrailingZeros(before) + (double) rank / before;
        return (long) (pauses * pause(nanos).toNanos());
    }

    private Duration pause(long nanos) {
        Duration pause = lag.most(nanos).multipliedBy(SAFETY);
        if (pause.compareTo(SHORTEST) < 0) {
            return SHORTEST;
        }
        return pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
    }
}

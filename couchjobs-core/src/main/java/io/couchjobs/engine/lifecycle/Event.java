package io.couchjobs.engine.lifecycle;

import static io.couchjobs.job.JobStatus.CANCELLED;
import static io.couchjobs.job.JobStatus.FAILED;
import static io.couchjobs.job.JobStatus.RUNNING;
import static io.couchjobs.job.JobStatus.SCHEDULED;
import static io.couchjobs.job.JobStatus.STUCK;
import static io.couchjobs.job.JobStatus.SUCCESS;
import static io.couchjobs.job.JobStatus.WAITING;

import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * The events of a job, and the state machine: for each event, the statuses that it may lead from and to. The other
 * effects of events are in {@link Transitions} and {@link ClusterTransitions}. Immutable and thread-safe.
 *
 * <p>A status that an event does not list refuses the event. A refused owner halts; a refused creator is told the status.
 */
public enum Event {
    /** A creator adds the job again (an add of an absent job is its creation). */
    ADD(table().from(WAITING, WAITING)
            .from(STUCK, WAITING)
            .from(SCHEDULED, SCHEDULED)
            .from(RUNNING, RUNNING)
            .from(SUCCESS, WAITING)
            .from(FAILED, WAITING)
            .from(CANCELLED, WAITING)),
    /** All jobs that the job waits for are finished, or one of them failed and the job is to be cancelled. */
    LET_GO(table().from(WAITING, WAITING, CANCELLED)),
    /** A worker claims the job, to start it at once ({@code RUNNING}) or a little later ({@code SCHEDULED}). */
    CLAIM(table().from(WAITING, RUNNING, SCHEDULED).from(STUCK, RUNNING, SCHEDULED)),
    /**
     * A claim is taken back ({@link Lock#withdrawn}): no quorum confirmed it, its answer was lost or late, another leaf contests
     * it, or its owner died beside another leaf.
     */
    WITHDRAW(table().from(SCHEDULED, SCHEDULED).from(RUNNING, RUNNING)),
    /** A resolution finds all claims withdrawn, on one leaf or on several: the job waits again. */
    RESTORE(table().from(SCHEDULED, WAITING).from(RUNNING, WAITING)),
    /** The job is written again as it is: a resolution kept it, or a majority is to confirm its last change. */
    KEEP(table().from(WAITING, WAITING)
            .from(STUCK, STUCK)
            .from(SCHEDULED, SCHEDULED)
            .from(RUNNING, RUNNING)
            .from(SUCCESS, SUCCESS)
            .from(FAILED, FAILED)
            .from(CANCELLED, CANCELLED)),
    /** The owner starts a job that it claimed ahead. */
    START(table().from(SCHEDULED, RUNNING)),
    /**
     * The owner writes the job while it owns it: new data, or its progress. That renews the lease of this job; without it, the
     * worker's registration does.
     */
    UPDATE(table().from(SCHEDULED, SCHEDULED).from(RUNNING, RUNNING)),
    /** The owner is done; a resubmitted job waits again. */
    FINISH(table().from(SCHEDULED, SUCCESS, WAITING).from(RUNNING, SUCCESS, WAITING)),
    /** The owner's run failed: retried, given up, cancelled if that was asked for, or waiting again if resubmitted. */
    FAIL(table().from(SCHEDULED, STUCK, FAILED, CANCELLED, WAITING).from(RUNNING, STUCK, FAILED, CANCELLED, WAITING)),
    /** The owner gives the job back. */
    RELEASE(table().from(SCHEDULED, WAITING, CANCELLED).from(RUNNING, WAITING, CANCELLED)),
    /** The owner wants to run the job later, without having failed. */
    SNOOZE(table().from(SCHEDULED, WAITING, CANCELLED).from(RUNNING, WAITING, CANCELLED)),
    /** The owner obeys a cancel request; a job that was added again after the request waits again. */
    ACKNOWLEDGE_CANCEL(table().from(SCHEDULED, CANCELLED, WAITING).from(RUNNING, CANCELLED, WAITING)),
    /** The activity monitor finds no sign of life of the owner. On a cluster the job only waits again. */
    EXPIRE(table().from(SCHEDULED, WAITING, CANCELLED).from(RUNNING, WAITING, CANCELLED, FAILED)),
    /** A caller cancels a job that has no owner. */
    CANCEL(table().from(WAITING, CANCELLED).from(STUCK, CANCELLED)),
    /** A caller asks the owner to stop. */
    REQUEST_CANCEL(table().from(SCHEDULED, SCHEDULED).from(RUNNING, RUNNING)),
    /**
     * A caller, often the owner, wants the job run once more after this run, or again after its end, or at another
     * time.
     */
    RESUBMIT(table().from(WAITING, WAITING)
            .from(STUCK, WAITING)
            .from(SCHEDULED, SCHEDULED)
            .from(RUNNING, RUNNING)
            .from(SUCCESS, WAITING)
            .from(FAILED, WAITING)
            .from(CANCELLED, WAITING)),
    /** A caller wants the job run now: a stuck one before its time, a finished one again. */
    RETRY(table().from(WAITING, WAITING)
            .from(STUCK, WAITING)
            .from(SUCCESS, WAITING)
            .from(FAILED, WAITING)
            .from(CANCELLED, WAITING)),
    /** A caller moves the scheduled time. */
    RESCHEDULE(table().from(WAITING, WAITING).from(STUCK, STUCK)),
    /** A caller changes the priority. */
    PRIORITIZE(table().from(WAITING, WAITING).from(STUCK, STUCK));

    @SuppressWarnings("ImmutableEnumChecker") // filled before the constructor, never changed after
    private final Map<JobStatus, Set<JobStatus>> targets;

    Event(Table table) {
        this.targets = table.targets;
    }

    /** The statuses that this event may lead to; empty when a job of that status refuses the event. */
    public Set<JobStatus> targets(JobStatus from) {
        return targets.getOrDefault(from, Set.of());
    }

    /** Whether a job may experience this event. */
    public boolean isAllowed(JobStatus from) {
        return !targets(from).isEmpty();
    }

    private static Table table() {
        return new Table();
    }

    private static final class Table {
        private final Map<JobStatus, Set<JobStatus>> targets = new EnumMap<>(JobStatus.class);

        Table from(JobStatus from, JobStatus... to) {
            targets.put(from, Set.of(to));
            return this;
        }
    }
}

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
 * The events of a job, and the state machine: for each event, the statuses that it may lead from and to.
 * {@link Transitions} and {@link ClusterTransitions} implement the other effects of events. Immutable and thread-safe.
 *
 * <p>A job refuses an event that does not list the job's status. An owner whose event is refused halts. A creator whose
 * event is refused learns the job's status.
 */
public enum Event {
    /** A creator adds a job that exists. The add of an absent job is no event: {@link Transitions#create} makes the job. */
    ADD(table().from(WAITING, WAITING)
            .from(STUCK, WAITING)
            .from(SCHEDULED, SCHEDULED)
            .from(RUNNING, RUNNING)
            .from(SUCCESS, WAITING)
            .from(FAILED, WAITING)
            .from(CANCELLED, WAITING)),
    /** All jobs that this job waits for have ended, or one of them did not succeed and this job is to be cancelled. */
    LET_GO(table().from(WAITING, WAITING, CANCELLED)),
    /** A worker claims the job, to start it at once ({@code RUNNING}) or later ({@code SCHEDULED}). */
    CLAIM(table().from(WAITING, RUNNING, SCHEDULED).from(STUCK, RUNNING, SCHEDULED)),
    /**
     * A claim is withdrawn ({@link Lock#withdrawn}). Either no majority confirmed it, its answer was lost or late, another
     * leaf contests it, or its owner died while the document had several leaves.
     */
    WITHDRAW(table().from(SCHEDULED, SCHEDULED).from(RUNNING, RUNNING)),
    /** A resolution finds all claims of the job withdrawn. The job waits again. */
    RESTORE(table().from(SCHEDULED, WAITING).from(RUNNING, WAITING)),
    /** The job is written again unchanged, because a resolution kept it or because a majority is to confirm its last change. */
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
     * The owner writes new data or progress. This write renews the lease of the job; without it, the worker's registration
     * renews the lease.
     */
    UPDATE(table().from(SCHEDULED, SCHEDULED).from(RUNNING, RUNNING)),
    /** The owner's run succeeded. A job that was resubmitted waits again. */
    FINISH(table().from(SCHEDULED, SUCCESS, WAITING).from(RUNNING, SUCCESS, WAITING)),
    /**
     * The owner's run failed. The job is retried, fails for good, is cancelled if that was requested, or waits again if it
     * was resubmitted.
     */
    FAIL(table().from(SCHEDULED, STUCK, FAILED, CANCELLED, WAITING).from(RUNNING, STUCK, FAILED, CANCELLED, WAITING)),
    /** The owner returns the job to the queue. */
    RELEASE(table().from(SCHEDULED, WAITING, CANCELLED).from(RUNNING, WAITING, CANCELLED)),
    /** The owner postpones the job. The run does not count as a failure. */
    SNOOZE(table().from(SCHEDULED, WAITING, CANCELLED).from(RUNNING, WAITING, CANCELLED)),
    /** The owner obeys a cancel request. A job that was added again after the request waits again. */
    ACKNOWLEDGE_CANCEL(table().from(SCHEDULED, CANCELLED, WAITING).from(RUNNING, CANCELLED, WAITING)),
    /** The activity monitor finds no sign of life of the owner. On a cluster the job always waits again. */
    EXPIRE(table().from(SCHEDULED, WAITING, CANCELLED).from(RUNNING, WAITING, CANCELLED, FAILED)),
    /** A caller cancels a job that has no owner. */
    CANCEL(table().from(WAITING, CANCELLED).from(STUCK, CANCELLED)),
    /** A caller asks the owner to stop the run. */
    REQUEST_CANCEL(table().from(SCHEDULED, SCHEDULED).from(RUNNING, RUNNING)),
    /** A caller, often the owner, wants another run of the job: after the present run, after its end, or at another time. */
    RESUBMIT(table().from(WAITING, WAITING)
            .from(STUCK, WAITING)
            .from(SCHEDULED, SCHEDULED)
            .from(RUNNING, RUNNING)
            .from(SUCCESS, WAITING)
            .from(FAILED, WAITING)
            .from(CANCELLED, WAITING)),
    /** A caller wants the job to run now: a pending job before its time, or a finished job again. */
    RETRY(table().from(WAITING, WAITING)
            .from(STUCK, WAITING)
            .from(SUCCESS, WAITING)
            .from(FAILED, WAITING)
            .from(CANCELLED, WAITING)),
    /** A caller changes the scheduled time. */
    RESCHEDULE(table().from(WAITING, WAITING).from(STUCK, STUCK)),
    /** A caller changes the priority. */
    PRIORITIZE(table().from(WAITING, WAITING).from(STUCK, STUCK));

    @SuppressWarnings("ImmutableEnumChecker") // filled before the constructor, never changed after
    private final Map<JobStatus, Set<JobStatus>> targets;

    Event(Table table) {
        this.targets = table.targets;
    }

    /** {@return the statuses that this event may lead to; empty when a job of the given status refuses the event} */
    public Set<JobStatus> targets(JobStatus from) {
        return targets.getOrDefault(from, Set.of());
    }

    /** {@return whether a job of the given status accepts this event} */
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

package io.couchjobs.schedule;

import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The schedules of a queue. Thread-safe; returned by {@link io.couchjobs.JobQueue#schedules()}.
 *
 * <p>A schedule is one document, {@code schedule:NAME}. The processes that have a worker make its jobs, and learn of every change
 * within moments. All methods throw {@link io.couchjobs.couch.config.CouchException} when the database cannot be used, and {@link
 * io.couchjobs.job.WriteRefusedException} when the database's own rules refuse a change.
 */
public interface Schedules {
    /**
     * Creates or replaces a schedule. Idempotent: with an unchanged timing, the ticks continue as before, so a program may put its
     * schedules at each start. With a new timing, the ticks count from now. A disabled schedule stays disabled, unless the request
     * says otherwise.
     *
     * @param request the schedule
     * @return the outcome and the stored schedule
     * @throws IllegalArgumentException when the schedule would never tick; nothing was written
     * @throws io.couchjobs.job.NoTypeTimeoutException when the queue is strict and the type has no timeout
     */
    PutResult put(ScheduleRequest request);

    /**
     * Reads a schedule.
     *
     * @param name the schedule's name
     * @return the schedule; empty when no schedule has this name
     * @throws MalformedDocumentException when the schedule's document is malformed
     */
    Optional<Schedule> get(String name);

    /** {@return all schedules, ordered by name, without the {@linkplain #malformed malformed} ones} */
    List<Schedule> list();

    /** {@return what is wrong with each malformed schedule document, by the name of the schedule} */
    Map<String, String> malformed();

    /**
     * Makes the jobs of all due ticks in the calling thread. Needed only in tests, and in programs that run jobs without a worker,
     * because every process with a worker does this automatically. A failure of one schedule does not affect other schedules,
     * unless the server cannot be reached.
     *
     * @throws io.couchjobs.couch.config.CouchJobsException when a schedule failed; failures of further schedules are added as
     *     suppressed exceptions
     */
    void makeDue();

    /**
     * Removes a schedule, even a malformed one. Its jobs stay.
     *
     * @param name the schedule's name
     * @throws NotFoundException when no schedule has this name
     */
    void remove(String name);

    /**
     * Enables a schedule from the next tick on. Ticks that passed while it was disabled make no jobs.
     *
     * @param name the schedule's name
     * @return the schedule as stored
     * @throws NotFoundException when no schedule has this name
     * @throws MalformedDocumentException when the schedule's document is malformed
     */
    Schedule enable(String name);

    /**
     * Disables a schedule, which makes no jobs until it is enabled again.
     *
     * @param name the schedule's name
     * @return the schedule as stored
     * @throws NotFoundException when no schedule has this name
     * @throws MalformedDocumentException when the schedule's document is malformed
     */
    Schedule disable(String name);

    /**
     * Makes a job of a schedule now, in addition to the jobs of its ticks. The schedule may be disabled, or have a running job.
     * While the new job is unfinished, it counts as a run of the schedule.
     *
     * @param name the schedule's name
     * @return the job as stored
     * @throws NotFoundException when no schedule has this name
     * @throws MalformedDocumentException when the schedule's document is malformed
     */
    Job runNow(String name);

    /**
     * Returns the next ticks of a schedule, whether it is enabled or not.
     *
     * @param name the schedule's name
     * @param count the maximum number of ticks
     * @return the ticks after now, in ascending order; fewer when there are no more
     * @throws NotFoundException when no schedule has this name
     * @throws MalformedDocumentException when the schedule's document is malformed
     */
    List<Instant> next(String name, int count);

    /**
     * The result of a put. Immutable and thread-safe.
     *
     * @param outcome the outcome
     * @param schedule the schedule as it is stored now
     */
    record PutResult(Outcome outcome, Schedule schedule) {
        /** The outcomes of a put. Immutable and thread-safe. */
        public enum Outcome {
            /** No schedule had this name. */
            CREATED,
            /** A schedule with this name existed and was changed. */
            REPLACED,
            /** A schedule with this name already was as requested. Nothing was written. */
            UNCHANGED
        }
    }
}

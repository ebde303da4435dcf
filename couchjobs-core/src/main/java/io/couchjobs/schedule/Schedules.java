package io.couchjobs.schedule;

import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The schedules of a queue. Thread-safe; made by {@link io.couchjobs.JobQueue#schedules()}.
 *
 * <p>A schedule is one document, {@code schedule:NAME}. Its jobs are made by the processes that have a worker; they hear of
 * every change here within moments. All methods throw {@link io.couchjobs.couch.config.CouchException} when the database cannot be
 * used, and {@link io.couchjobs.job.WriteRefusedException} when its own rules refuse a change.
 */
public interface Schedules {
    /**
     * Creates or replaces a schedule. Idempotent: with the same timing its ticks go on as they were (so a program may put its
     * schedules whenever it starts), with another one they count from now. One that was disabled stays so, unless the
     * request says otherwise.
     *
     * @param request the schedule
     * @return what happened
     * @throws IllegalArgumentException when it would never tick; nothing was written
     * @throws io.couchjobs.job.NoTypeTimeoutException when the queue is strict and the type has no timeout
     */
    PutResult put(ScheduleRequest request);

    /**
     * Reads a schedule.
     *
     * @param name its name
     * @return the schedule; empty when there is none
     * @throws MalformedDocumentException when the document cannot be a schedule
     */
    Optional<Schedule> get(String name);

    /** {@return all schedules, by name; without those that {@link #malformed} names} */
    List<Schedule> list();

    /** {@return the documents that have the id of a schedule and cannot be one: by name, what is wrong} */
    Map<String, String> malformed();

    /**
     * Makes the jobs of all ticks that are due, in the calling thread, as every process with a worker does by itself. For tests,
     * and for programs that run jobs without a worker. A schedule that fails does not stop the others from making their jobs.
     *
     * @throws io.couchjobs.couch.config.CouchJobsException when a schedule failed; the failures of others are suppressed in it
     */
    void makeDue();

    /**
     * Removes a schedule, even one that is malformed. Its jobs stay.
     *
     * @param name its name
     * @throws NotFoundException when there is none
     */
    void remove(String name);

    /**
     * Lets a schedule make jobs again, from the next tick on: what it would have made meanwhile is not made up for.
     *
     * @param name its name
     * @return the schedule as stored
     * @throws NotFoundException when there is none
     * @throws MalformedDocumentException when the document cannot be a schedule
     */
    Schedule enable(String name);

    /**
     * Keeps a schedule from making jobs until it is enabled.
     *
     * @param name its name
     * @return the schedule as stored
     * @throws NotFoundException when there is none
     * @throws MalformedDocumentException when the document cannot be a schedule
     */
    Schedule disable(String name);

    /**
     * Makes a job of a schedule now, beside its ticks and even when it is disabled or a job of it is running. While that job
     * is unfinished it counts as a run of the schedule.
     *
     * @param name its name
     * @return the job as stored
     * @throws NotFoundException when there is none
     * @throws MalformedDocumentException when the document cannot be a schedule
     */
    Job runNow(String name);

    /**
     * The next ticks of a schedule, whether it is enabled or not.
     *
     * @param name its name
     * @param count how many
     * @return the ticks after now, in their order; fewer when there are no more
     * @throws NotFoundException when there is none
     * @throws MalformedDocumentException when the document cannot be a schedule
     */
    List<Instant> next(String name, int count);

    /**
     * The result of a put. Immutable and thread-safe.
     *
     * @param outcome what happened
     * @param schedule the schedule as it is stored now
     */
    record PutResult(Outcome outcome, Schedule schedule) {
        /** The outcomes of a put. Immutable and thread-safe. */
        public enum Outcome {
            /** There was none of that name. */
            CREATED,
            /** There was one of that name, and it is as asked for now. */
            REPLACED,
            /** There was one of that name, and it was as asked for already: nothing was written. */
            UNCHANGED
        }
    }
}

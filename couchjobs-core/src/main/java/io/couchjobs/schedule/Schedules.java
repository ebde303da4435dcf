package io.couchjobs.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.Tombstone;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of a queue. Thread-safe; made by {@link io.couchjobs.JobQueue#schedules()}.
 *
 * <p>A schedule is one document, {@code schedule:NAME}. Its jobs are made by the processes that have a worker; they hear of
 * every change here within moments. All methods throw {@link io.couchjobs.couch.config.CouchException} when the database cannot be
 * used, and {@link io.couchjobs.job.WriteRefusedException} when its own rules refuse a change.
 */
public final class Schedules {
    private final ScheduleStore schedules;
    private final Creator creator;
    private final QueueParts parts;
    private final Consumer<JobRequest> admission;

    /**
     * Works on the schedules of a database.
     *
     * @param parts what it works with
     * @param admission throws when a job may not be added to the queue
     */
    public Schedules(QueueParts parts, Consumer<JobRequest> admission) {
        this.parts = parts;
        this.schedules = new ScheduleStore(parts.store().database());
        this.creator = new Creator(parts.store(), parts.clock());
        this.admission = admission;
    }

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
    public PutResult put(ScheduleRequest request) {
        Instant now = parts.clock().instant();
        request.requireTicks(now);
        admission.accept(request.job());
        AtomicReference<@Nullable ObjectNode> before = new AtomicReference<>();
        ObjectNode stored = schedules.change(request.name(), document -> {
            before.compareAndSet(null, document);
            return stamped(request.writeTo(document, now));
        });
        return PutResult.of(before.get(), stored);
    }

    /**
     * Reads a schedule.
     *
     * @param name its name
     * @return the schedule; empty when there is none
     * @throws MalformedScheduleException when the document cannot be a schedule
     */
    public Optional<Schedule> get(String name) {
        return schedules.read(name).map(Schedule::parse);
    }

    /** {@return all schedules, by name; without those that {@link #malformed} names} */
    public List<Schedule> list() {
        return schedules.readAll().stream()
                .map(Schedules::parsed)
                .flatMap(Optional::stream)
                .toList();
    }

    /** {@return the documents that have the id of a schedule and cannot be one: by name, what is wrong} */
    public Map<String, String> malformed() {
        Map<String, String> problems = new TreeMap<>();
        for (ObjectNode document : schedules.readAll()) {
            try {
                Schedule.parse(document);
            } catch (MalformedScheduleException wrong) {
                problems.put(Schedule.nameOf(document.path("_id").asText()), String.valueOf(wrong.getMessage()));
            }
        }
        return problems;
    }

    /**
     * Makes the jobs of all ticks that are due, in the calling thread, as every process with a worker does by itself. For tests,
     * and for who runs jobs without a worker.
     */
    public void makeDue() {
        TickMaker maker = new TickMaker(parts.store(), parts.clock());
        list().stream()
                .filter(schedule -> parts.store().site().owns(schedule.site().orElse(null)))
                .forEach(schedule -> maker.make(schedule.name()));
    }

    /**
     * Removes a schedule, even one that is malformed. Its jobs stay.
     *
     * @param name its name
     * @throws ScheduleNotFoundException when there is none
     */
    public void remove(String name) {
        if (schedules.read(name).isEmpty()) {
            throw new ScheduleNotFoundException(name);
        }
        schedules.change(name, document -> {
            String rev = document.path("_rev").asText();
            return rev.isEmpty() ? document : Tombstone.of(Schedule.docId(name), rev);
        });
    }

    /**
     * Lets a schedule make jobs again, from the next tick on: what it would have made meanwhile is not made up for.
     *
     * @param name its name
     * @return the schedule as stored
     * @throws ScheduleNotFoundException when there is none
     * @throws MalformedScheduleException when the document cannot be a schedule
     */
    public Schedule enable(String name) {
        Instant now = parts.clock().instant();
        return change(name, (schedule, document) -> {
            if (!schedule.isEnabled()) {
                document.put(ScheduleFields.ENABLED, true).put(ScheduleFields.LAST, now.toEpochMilli());
            }
        });
    }

    /**
     * Keeps a schedule from making jobs until it is enabled.
     *
     * @param name its name
     * @return the schedule as stored
     * @throws ScheduleNotFoundException when there is none
     * @throws MalformedScheduleException when the document cannot be a schedule
     */
    public Schedule disable(String name) {
        return change(name, (schedule, document) -> document.put(ScheduleFields.ENABLED, false));
    }

    /**
     * Makes a job of a schedule now, beside its ticks and even when it is disabled or a job of it is running. While that job
     * is unfinished it counts as a run of the schedule.
     *
     * @param name its name
     * @return the job as stored
     * @throws ScheduleNotFoundException when there is none
     * @throws MalformedScheduleException when the document cannot be a schedule
     */
    public Job runNow(String name) {
        Schedule schedule = get(name).orElseThrow(() -> new ScheduleNotFoundException(name));
        Job job = insertAt(schedule, parts.clock().instant());
        schedules.change(name, document -> document.has("_rev") ? Runs.added(document, List.of(job.id())) : document);
        return job;
    }

    /**
     * The next ticks of a schedule, whether it is enabled or not.
     *
     * @param name its name
     * @param count how many
     * @return the ticks after now, in their order; fewer when there are no more
     * @throws ScheduleNotFoundException when there is none
     * @throws MalformedScheduleException when the document cannot be a schedule
     */
    public List<Instant> next(String name, int count) {
        return get(name)
                .orElseThrow(() -> new ScheduleNotFoundException(name))
                .next(parts.clock().instant(), count);
    }

    /** Two who run it in the same millisecond get a job each. */
    private Job insertAt(Schedule schedule, Instant time) {
        try {
            return creator.insert(schedule.request(time));
        } catch (DuplicateJobException taken) {
            return insertAt(schedule, time.plusMillis(1));
        }
    }

    private static Optional<Schedule> parsed(ObjectNode document) {
        try {
            return Optional.of(Schedule.parse(document));
        } catch (MalformedScheduleException leftOut) {
            return Optional.empty();
        }
    }

    /** A schedule ticks where it was put first, wherever it is replicated to. */
    private ObjectNode stamped(ObjectNode document) {
        String site = parts.store().site().name();
        return site == null || document.has("_rev") ? document : document.put(ScheduleFields.SITE, site);
    }

    private Schedule change(String name, Change change) {
        return Schedule.parse(schedules.change(name, document -> {
            if (!document.has("_rev")) {
                throw new ScheduleNotFoundException(name);
            }
            change.make(Schedule.parse(document), document);
            return document;
        }));
    }

    /** A change of a schedule's document, in place. */
    @FunctionalInterface
    private interface Change {
        void make(Schedule schedule, ObjectNode document);
    }
}

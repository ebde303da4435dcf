package io.couchjobs.engine.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.JsonNumbers;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.schedule.Schedules;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The schedules in the database of a queue. Thread-safe. */
public final class QueueSchedules implements Schedules {
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
    public QueueSchedules(QueueParts parts, Consumer<JobRequest> admission) {
        this.parts = parts;
        this.schedules = new ScheduleStore(parts.store().database());
        this.creator = new Creator(parts.store(), parts.clock());
        this.admission = admission;
    }

    @Override
    public Schedules.PutResult put(ScheduleRequest request) {
        Instant now = parts.clock().instant();
        request.requireTicks(now);
        admission.accept(request.job());
        AtomicReference<@Nullable ObjectNode> before = new AtomicReference<>();
        ObjectNode stored = schedules.change(request.name(), document -> {
            before.compareAndSet(null, document);
            return stamped(request.writeTo(document, now));
        });
        return resultOf(before.get(), stored);
    }

    private static Schedules.PutResult resultOf(@Nullable ObjectNode before, ObjectNode stored) {
        Schedules.PutResult.Outcome outcome = before == null || !before.has("_rev")
                ? Schedules.PutResult.Outcome.CREATED
                : before.equals(JsonNumbers::compare, stored)
                        ? Schedules.PutResult.Outcome.UNCHANGED
                        : Schedules.PutResult.Outcome.REPLACED;
        return new Schedules.PutResult(outcome, Schedule.parse(stored));
    }

    @Override
    public Optional<Schedule> get(String name) {
        return schedules.read(name).map(Schedule::parse);
    }

    @Override
    public List<Schedule> list() {
        return schedules.readAll().stream()
                .map(QueueSchedules::parsed)
                .flatMap(Optional::stream)
                .toList();
    }

    @Override
    public Map<String, String> malformed() {
        Map<String, String> problems = new TreeMap<>();
        for (ObjectNode document : schedules.readAll()) {
            try {
                Schedule.parse(document);
            } catch (MalformedDocumentException wrong) {
                problems.put(Schedule.nameOf(document.path("_id").asText()), String.valueOf(wrong.getMessage()));
            }
        }
        return problems;
    }

    @Override
    public void makeDue() {
        TickMaker maker = new TickMaker(parts.store(), parts.clock());
        list().stream()
                .filter(schedule -> parts.store().site().owns(schedule.site().orElse(null)))
                .forEach(schedule -> maker.make(schedule.name()));
    }

    @Override
    public void remove(String name) {
        if (schedules.read(name).isEmpty()) {
            throw NotFoundException.schedule(name);
        }
        schedules.change(name, document -> {
            String rev = document.path("_rev").asText();
            return rev.isEmpty() ? document : Tombstone.of(Schedule.docId(name), rev);
        });
    }

    @Override
    public Schedule enable(String name) {
        Instant now = parts.clock().instant();
        return change(name, (schedule, document) -> {
            if (!schedule.isEnabled()) {
                document.put(Field.ENABLED, true).put(Field.LAST, now.toEpochMilli());
            }
        });
    }

    @Override
    public Schedule disable(String name) {
        return change(name, (schedule, document) -> document.put(Field.ENABLED, false));
    }

    @Override
    public Job runNow(String name) {
        Schedule schedule = get(name).orElseThrow(() -> NotFoundException.schedule(name));
        Job job = insertAt(schedule, parts.clock().instant());
        schedules.change(name, document -> document.has("_rev") ? Runs.added(document, List.of(job.id())) : document);
        return job;
    }

    @Override
    public List<Instant> next(String name, int count) {
        return get(name)
                .orElseThrow(() -> NotFoundException.schedule(name))
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
        } catch (MalformedDocumentException leftOut) {
            return Optional.empty();
        }
    }

    /** A schedule ticks where it was put first, wherever it is replicated to. */
    private ObjectNode stamped(ObjectNode document) {
        String site = parts.store().site().name();
        return site == null || document.has("_rev") ? document : document.put(Field.SITE, site);
    }

    private Schedule change(String name, Change change) {
        return Schedule.parse(schedules.change(name, document -> {
            if (!document.has("_rev")) {
                throw NotFoundException.schedule(name);
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

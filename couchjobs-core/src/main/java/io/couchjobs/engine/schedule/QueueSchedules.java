package io.couchjobs.engine.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.JsonNumbers;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.NamedDocuments;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.schedule.Schedules;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The schedules in the database of a queue. Thread-safe. */
public final class QueueSchedules implements Schedules {
    private static final Logger log = LoggerFactory.getLogger(QueueSchedules.class);

    private final NamedDocuments<Schedule> schedules;
    private final Creator creator;
    private final QueueParts parts;
    private final Consumer<JobRequest> admission;

    /** @param admission throws when a job may not be added to the queue */
    public QueueSchedules(QueueParts parts, Consumer<JobRequest> admission) {
        this.parts = parts;
        this.schedules = documents(parts.store());
        this.creator = new Creator(parts.store(), parts.clock());
        this.admission = admission;
    }

    /** Returns the documents of the schedules in the database of a queue. */
    static NamedDocuments<Schedule> documents(JobStore store) {
        return new NamedDocuments<>(
                new SharedDocuments(store.database()), DocIds.SCHEDULE, Schedule::docId, Schedule::parse);
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
        return schedules.all();
    }

    @Override
    public Map<String, String> malformed() {
        return schedules.malformed();
    }

    @Override
    public void makeDue() {
        TickMaker maker = new TickMaker(parts.store(), parts.clock());
        List<String> here = list().stream()
                .filter(schedule -> parts.store().site().owns(schedule.site().orElse(null)))
                .map(Schedule::name)
                .toList();
        RuntimeException first = null;
        for (String name : here) {
            try {
                var unused = maker.make(name);
            } catch (RuntimeException trouble) {
                if (first == null) {
                    first = trouble;
                } else {
                    first.addSuppressed(trouble);
                }
                if (trouble instanceof CouchUnreachableException) {
                    break; // the server cannot be reached for the other schedules either
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public void remove(String name) {
        if (!schedules.remove(name)) {
            throw NotFoundException.schedule(name);
        }
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
        note(name, job);
        return job;
    }

    @Override
    public List<Instant> next(String name, int count) {
        return get(name)
                .orElseThrow(() -> NotFoundException.schedule(name))
                .next(parts.clock().instant(), count);
    }

    /** Adds a job to the schedule's list. Only logs a failure, because after an exception the caller would make another job. */
    private void note(String name, Job job) {
        try {
            schedules.change(
                    name, document -> document.has("_rev") ? Runs.added(document, List.of(job.id())) : document);
        } catch (CouchJobsException trouble) {
            log.warn(
                    "{} was made, but schedule {} could not note it, and its next tick may not wait for it: {}",
                    job.id(),
                    name,
                    trouble.getMessage());
        }
    }

    /** Makes a job at a time, or at the next free millisecond, so that two callers in the same millisecond each get a job. */
    private Job insertAt(Schedule schedule, Instant time) {
        try {
            return creator.insert(schedule.request(time));
        } catch (DuplicateJobException taken) {
            return insertAt(schedule, time.plusMillis(1));
        }
    }

    /** Sets the own site in a new schedule. So a replicated schedule ticks only at the site where it was created. */
    private ObjectNode stamped(ObjectNode document) {
        String site = parts.store().site().name();
        return site == null || document.has("_rev") ? document : document.put(Field.SITE, site);
    }

    private Schedule change(String name, BiConsumer<Schedule, ObjectNode> change) {
        return Schedule.parse(schedules.change(name, document -> {
            if (!document.has("_rev")) {
                throw NotFoundException.schedule(name);
            }
            change.accept(Schedule.parse(document), document);
            return document;
        }));
    }
}

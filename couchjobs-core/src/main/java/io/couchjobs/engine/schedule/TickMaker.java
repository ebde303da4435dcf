package io.couchjobs.engine.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.NamedDocuments;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.schedule.Schedule;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the jobs of a schedule's due ticks. Thread-safe. Any number of processes may do so at the same time.
 *
 * <p>The jobs are made first. Then the time of the last processed tick is stored in the schedule. A job's id contains its tick, so
 * only one job is made, however many processes try. If a process dies before it stores that time, another process finds the job or
 * its tombstone, and only stores the time. The stored time never goes back.
 */
final class TickMaker {
    private static final Logger log = LoggerFactory.getLogger(TickMaker.class);
    private static final String CREATED = "created";

    private final JobStore jobs;
    private final NamedDocuments<Schedule> schedules;
    private final InstantSource clock;

    TickMaker(JobStore jobs, InstantSource clock) {
        this.jobs = jobs;
        this.schedules = QueueSchedules.documents(jobs);
        this.clock = clock;
    }

    /**
     * The result of processing a schedule.
     *
     * @param schedule the schedule in its present state; empty when it was removed
     * @param noted whether this call, and no other process, processed the tick
     */
    record Outcome(Optional<Schedule> schedule, boolean noted) {}

    /**
     * Makes the due jobs of a schedule. Reads the schedule from the database, because a remembered state may be old.
     *
     * @throws MalformedDocumentException when the schedule's document is malformed
     */
    Outcome make(String name) {
        Optional<Schedule> read = schedules.read(name).map(Schedule::parse);
        if (read.isEmpty() || !read.get().isEnabled()) {
            return new Outcome(read, false);
        }
        Instant now = clock.instant();
        Schedule schedule = read.get();
        if (schedule.last().isEmpty()) {
            return note(schedule, now, List.of(), List.of());
        }
        Optional<Due> due = Due.of(schedule, now);
        return due.isEmpty() ? new Outcome(read, false) : make(schedule, due.get(), now);
    }

    private Outcome make(Schedule schedule, Due due, Instant now) {
        List<JobRequest> wanted = due.ticks().stream().map(schedule::request).toList();
        List<JobId> ids = wanted.stream().map(JobRequest::id).toList();
        boolean skips = schedule.overlap() == Schedule.OverlapPolicy.SKIP;
        List<JobId> unnoted = skips ? unnoted(schedule, due) : List.of();
        Map<JobId, Optional<Job>> found = found(
                Stream.of(schedule.runs(), ids, unnoted).flatMap(List::stream).toList());
        List<JobId> finished = schedule.runs().stream()
                .filter(run -> !isUnfinished(found, run))
                .toList();
        List<JobId> others =
                unnoted.stream().filter(id -> isUnfinished(found, id)).toList();
        boolean overlaps = schedule.runs().size() > finished.size() || !others.isEmpty();
        if (overlaps && skips) {
            log.debug("schedule {} skips its tick: an earlier job is not finished", schedule.name());
            return note(schedule, due.until(), finished, others);
        }
        List<Job> fresh = wanted.stream()
                .filter(request -> !found.containsKey(request.id()))
                .map(request -> jobs.attaching(Transitions.create(request, now)))
                .toList();
        List<JobId> met = insert(fresh);
        return note(schedule, until(schedule, due, found, met), finished, ids);
    }

    /**
     * Reads the jobs whose documents exist or existed, by one request. The value is empty for a document that is deleted or is not
     * a job.
     */
    private Map<JobId, Optional<Job>> found(List<JobId> ids) {
        Map<JobId, Optional<Job>> found = new HashMap<>();
        if (!ids.isEmpty()) {
            ViewQuery query = ViewQuery.allDocs()
                    .keys(ids.stream().map(JobId::docId).toList())
                    .includeDocs(true);
            jobs.database().view(query).documentRows().stream()
                    .filter(row -> row.error().isEmpty())
                    .forEach(row ->
                            JobId.fromDocId(row.key().asText()).ifPresent(id -> found.put(id, JobDocument.job(row))));
        }
        return found;
    }

    /** Returns whether a job is unfinished. A malformed job document does not count, because it never runs. */
    private static boolean isUnfinished(Map<JobId, Optional<Job>> found, JobId id) {
        return found.getOrDefault(id, Optional.empty())
                .filter(job -> job.phase() != JobPhase.FINISHED)
                .isPresent();
    }

    /**
     * Returns the jobs of skipped ticks that are not in the schedule's list. A process may have made such a job and died before it
     * listed it.
     */
    private static List<JobId> unnoted(Schedule schedule, Due due) {
        return due.passed().stream()
                .map(tick -> schedule.request(tick).id())
                .filter(id -> !schedule.runs().contains(id))
                .toList();
    }

    /** Writes new jobs. Returns the jobs that another process made first. */
    private List<JobId> insert(List<Job> fresh) {
        List<WriteResult> written = jobs.writer().writeAll(fresh);
        List<JobId> others = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            JobId id = fresh.get(i).id();
            WriteResult result = WriteRefusedException.check(written.get(i));
            if (result instanceof WriteResult.Accepted) {
                throw new UnconfirmedException(id);
            } else if (result instanceof WriteResult.Conflict) {
                others.add(id);
            } else {
                jobs.listener().added(AddResult.added(fresh.get(i)));
            }
        }
        return others;
    }

    /**
     * Returns the last processed tick. A job for several missed ticks stands for all ticks up to its creation, and for no later
     * tick. So a scheduler that finds the job of another scheduler stores the same last tick as that scheduler.
     */
    private Instant until(Schedule schedule, Due due, Map<JobId, Optional<Job>> found, List<JobId> others) {
        if (schedule.missed() != Schedule.MissedPolicy.ONCE) {
            return due.until();
        }
        Instant tick = due.ticks().get(0);
        JobId id = schedule.request(tick).id();
        Optional<Job> made = others.contains(id) ? jobs.read(id) : found.getOrDefault(id, Optional.empty());
        boolean isOurs = made.isEmpty() && !others.contains(id) && !found.containsKey(id);
        Instant stands = isOurs
                ? due.until()
                : made.map(job -> job.times().getOrDefault(CREATED, tick)).orElse(tick);
        return stands.isAfter(tick) ? schedule.timing().last(tick, stands) : tick;
    }

    /** Stores the last processed tick, if the timing is still the same as when the jobs were made. */
    private Outcome note(Schedule schedule, Instant until, List<JobId> finished, List<JobId> made) {
        boolean[] noted = new boolean[1];
        ObjectNode stored = schedules.change(schedule.name(), document -> {
            noted[0] = false;
            if (!document.has("_rev")) {
                return document;
            }
            Schedule present = Schedule.parse(document);
            // Only one scheduler stores the first time: a second scheduler with a later time would skip the ticks in
            // between.
            boolean isBehind = present.last().isEmpty()
                    || (schedule.last().isPresent() && present.last().get().isBefore(until));
            if (isBehind && present.timing().equals(schedule.timing())) {
                document.put(Field.LAST, until.toEpochMilli());
                noted[0] = true;
            }
            return Runs.changed(document, finished, made);
        });
        return new Outcome(
                Optional.of(stored).filter(document -> document.has("_rev")).map(Schedule::parse), noted[0]);
    }
}

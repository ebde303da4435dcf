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
 * Makes the jobs of a schedule's due ticks. Thread-safe; any number of processes may do it at the same time.
 *
 * <p>First the jobs are made, then the schedule notes that their ticks are dealt with. A job's id says which tick it is for,
 * so it is made only once, however many processes try. If a process dies before it writes the note, another process finds the
 * job or its tombstone, and only writes the note. The note never goes back.
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
     * The result of looking at a schedule.
     *
     * @param schedule the schedule as it is now; empty when it is gone
     * @param noted whether this call dealt with a tick, and nobody else did
     */
    record Outcome(Optional<Schedule> schedule, boolean noted) {}

    /**
     * Makes what is due, by the schedule as it is in the database now; what anybody remembered of it may be old.
     *
     * @throws MalformedDocumentException when the document cannot be a schedule
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

    /** The jobs whose documents exist or existed once, read by one request. A document that is deleted, or no job, is empty. */
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

    /** Whether a job is still unfinished. A document that somebody made unusable as a job never runs, so it does not count. */
    private static boolean isUnfinished(Map<JobId, Optional<Job>> found, JobId id) {
        return found.getOrDefault(id, Optional.empty())
                .filter(job -> job.phase() != JobPhase.FINISHED)
                .isPresent();
    }

    /** Jobs of ticks that are left out: a process that died may have made one, and not noted it. */
    private static List<JobId> unnoted(Schedule schedule, Due due) {
        return due.passed().stream()
                .map(tick -> schedule.request(tick).id())
                .filter(id -> !schedule.runs().contains(id))
                .toList();
    }

    /** Makes jobs that were not there a moment ago; returns those that somebody else made in that moment. */
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
     * The last tick that is dealt with. A job that makes up for several ticks stands for all ticks up to the moment it was made,
     * and for none after it. So a scheduler that finds the job of another one notes the same last tick as that one.
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

    /** Moves the note on, if the schedule still ticks as it did when the jobs were made. */
    private Outcome note(Schedule schedule, Instant until, List<JobId> finished, List<JobId> made) {
        boolean[] noted = new boolean[1];
        ObjectNode stored = schedules.change(schedule.name(), document -> {
            noted[0] = false;
            if (!document.has("_rev")) {
                return document;
            }
            Schedule present = Schedule.parse(document);
            // Only one scheduler notes the beginning: a second note with a later time would skip the ticks between.
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

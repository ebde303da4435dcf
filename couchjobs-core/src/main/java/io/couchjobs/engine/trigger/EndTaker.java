package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.lifecycle.WriteBack;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Writes the ends of a trigger's jobs into the documents that they were made from. Used by one thread at a time. */
final class EndTaker implements Taker {
    private final Trigger trigger;
    private final JsonPointer place;
    private final JobStore jobs;
    private final CouchServer sources;

    EndTaker(Trigger trigger, JsonPointer place, JobStore jobs, CouchServer sources) {
        this.trigger = trigger;
        this.place = place;
        this.jobs = jobs;
        this.sources = sources;
    }

    @Override
    public ChangesRequest request(ChangesRequest all) {
        ObjectNode selector = JsonNodeFactory.instance.objectNode().put(Field.TRIGGER + ".name", trigger.name());
        var ends = selector.putObject(Field.STATUS).putArray("$in");
        Stream.of(JobStatus.values())
                .filter(status -> status.phase() == JobPhase.FINISHED)
                .forEach(end -> ends.add(end.json()));
        return all.includeDocs(true).selector(selector);
    }

    @Override
    public Taken take(Position position, List<Change> changes) {
        List<SourceChange> ends = changes.stream()
                .map(change -> new SourceChange(
                        position.database(),
                        change.id(),
                        change.revs().get(0),
                        change.seq(),
                        change.deleted(),
                        change.doc()))
                .toList();
        List<Step.Failure> failures = jobs.isCluster()
                ? writeConfirmed(ends)
                : write(ends, ends.stream().map(SourceChange::read).toList());
        String seq = changes.get(changes.size() - 1).seq();
        return new Taken(new Step(seq, changes.size(), 0, List.of(), failures, Optional.empty()), true);
    }

    /** The ends that could not be written back, and are tried again. A job that is gone, or runs again, has no end. */
    @Override
    public Step takeOwed(Position position, List<SourceChange> owed) {
        List<Step.Failure> failures = jobs.isCluster()
                ? writeConfirmed(owed)
                : write(owed, jobs.database().getAll(ids(owed)));
        return new Step(position.seq(), 0, 0, List.of(), failures, Optional.empty());
    }

    private static List<String> ids(List<SourceChange> ends) {
        return ends.stream().map(SourceChange::id).toList();
    }

    private List<Step.Failure> write(List<SourceChange> ends, List<Optional<ObjectNode>> documents) {
        List<Step.Failure> failures = new ArrayList<>();
        for (int i = 0; i < ends.size(); i++) {
            SourceChange end = ends.get(i);
            documents.get(i).flatMap(job -> failure(end, () -> Job.parse(job))).ifPresent(failures::add);
        }
        return failures;
    }

    /** Any node may show an end that no majority of the copies has, and that is undone later. */
    private List<Step.Failure> writeConfirmed(List<SourceChange> ends) {
        Map<String, Snapshot> known =
                jobs.ends().read(ids(ends).stream().distinct().toList());
        List<Step.Failure> failures = new ArrayList<>();
        for (SourceChange end : ends) {
            Snapshot sure = known.get(end.id());
            if (sure == null) {
                failures.add(new Step.Failure(end, notWritten(end) + "no majority of the copies tells it yet", true));
            } else {
                sure.job().flatMap(job -> failure(end, () -> job)).ifPresent(failures::add);
            }
        }
        return failures;
    }

    private static String notWritten(SourceChange end) {
        return "the end of " + end.id() + " was not written back: ";
    }

    /** Writes an end back; the failure, if that cannot be done. A database that refuses the account holds up no other. */
    private Optional<Step.Failure> failure(SourceChange end, Supplier<Job> read) {
        try {
            Job job = read.get();
            if (job.phase() == JobPhase.FINISHED) {
                Origin.of(job).ifPresent(origin -> write(job, origin));
            }
            return Optional.empty();
        } catch (CouchNotFoundException goneWithItsDatabase) {
            return Optional.empty();
        } catch (MalformedDocumentException
                | IllegalArgumentException
                | WriteRefusedException
                | CouchUnauthorizedException cannot) {
            return Optional.of(new Step.Failure(end, notWritten(end) + cannot.getMessage(), true));
        }
    }

    private void write(Job job, Origin origin) {
        UserDocuments documents = new UserDocuments(sources.database(origin.database()), jobs.environment());
        documents.change(origin.docId(), present -> WriteBack.write(present, place, job, origin.rev()));
    }
}

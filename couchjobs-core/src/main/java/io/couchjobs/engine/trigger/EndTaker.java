package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.lifecycle.WriteBack;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Writes the ends of a trigger's jobs into the documents that they were made from. Used by one thread at a time. */
final class EndTaker implements Taker {
    private final Trigger trigger;
    private final JsonPointer place;
    private final CouchDatabase queue;
    private final CouchServer sources;
    private final Environment environment;

    EndTaker(Trigger trigger, JsonPointer place, CouchDatabase queue, CouchServer sources, Environment environment) {
        this.trigger = trigger;
        this.place = place;
        this.queue = queue;
        this.sources = sources;
        this.environment = environment;
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
        List<Step.Failure> failures = new ArrayList<>();
        for (Change change : changes) {
            SourceChange end = new SourceChange(
                    position.database(),
                    change.id(),
                    change.revs().get(0),
                    change.seq(),
                    change.deleted(),
                    change.doc());
            end.read().flatMap(job -> failure(end, job)).ifPresent(failures::add);
        }
        String seq = changes.get(changes.size() - 1).seq();
        return new Taken(new Step(seq, changes.size(), 0, List.of(), failures, Optional.empty()), true);
    }

    /** The ends that could not be written back, and are tried again. A job that is gone, or runs again, has no end. */
    @Override
    public Step takeOwed(Position position, List<SourceChange> owed) {
        List<Step.Failure> failures = new ArrayList<>();
        List<Optional<ObjectNode>> jobs =
                queue.getAll(owed.stream().map(SourceChange::id).toList());
        for (int i = 0; i < owed.size(); i++) {
            SourceChange end = owed.get(i);
            jobs.get(i).flatMap(job -> failure(end, job)).ifPresent(failures::add);
        }
        return new Step(position.seq(), 0, 0, List.of(), failures, Optional.empty());
    }

    /** Writes an end back; the failure, if that cannot be done. A database that refuses the account holds up no other. */
    private Optional<Step.Failure> failure(SourceChange end, ObjectNode document) {
        try {
            Job job = Job.parse(document);
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
            String reason = "the end of " + end.id() + " was not written back: " + cannot.getMessage();
            return Optional.of(new Step.Failure(end, reason, true));
        }
    }

    private void write(Job job, Origin origin) {
        UserDocuments documents = new UserDocuments(sources.database(origin.database()), environment);
        documents.change(origin.docId(), present -> WriteBack.write(present, place, job, origin.rev()));
    }
}

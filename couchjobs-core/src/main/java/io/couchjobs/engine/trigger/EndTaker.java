package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.lifecycle.WriteBack;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes the ends of a trigger's jobs into the documents that they were made from. Used by one thread at a time. */
final class EndTaker implements Taker {
    private static final List<JobStatus> ENDS = List.of(JobStatus.SUCCESS, JobStatus.FAILED, JobStatus.CANCELLED);

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
        ENDS.forEach(end -> ends.add(end.json()));
        return all.includeDocs(true).selector(selector);
    }

    @Override
    public Taken take(Position position, List<Change> changes) {
        List<Step.Failure> failures = new ArrayList<>();
        for (Change change : changes) {
            Optional.ofNullable(change.doc())
                    .flatMap(document -> failure(change.id(), document))
                    .ifPresent(reason -> failures.add(failure(position, change, reason)));
        }
        return new Taken(
                new Step(
                        changes.get(changes.size() - 1).seq(),
                        changes.size(),
                        0,
                        List.of(),
                        failures,
                        Optional.empty()),
                true);
    }

    /** The ends that could not be written back, and are tried again. A job that is gone, or runs again, has no end. */
    @Override
    public Step takeOwed(Position position, List<SourceChange> owed) {
        List<Step.Failure> failures = new ArrayList<>();
        List<Optional<ObjectNode>> jobs =
                queue.getAll(owed.stream().map(SourceChange::id).toList());
        for (int i = 0; i < owed.size(); i++) {
            SourceChange end = owed.get(i);
            jobs.get(i)
                    .filter(EndTaker::hasEnded)
                    .flatMap(job -> failure(end.id(), job))
                    .ifPresent(reason -> failures.add(new Step.Failure(end, reason, true)));
        }
        return new Step(position.seq(), 0, 0, List.of(), failures, Optional.empty());
    }

    private static boolean hasEnded(ObjectNode job) {
        return JobStatus.fromJson(job.path(Field.STATUS).asText())
                .filter(ENDS::contains)
                .isPresent();
    }

    private static Step.Failure failure(Position position, Change change, String reason) {
        SourceChange end = new SourceChange(
                position.database(), change.id(), change.revs().get(0), change.seq(), change.deleted(), null);
        return new Step.Failure(end, reason, true);
    }

    private Optional<String> failure(String docId, ObjectNode document) {
        try {
            Job job = Job.parse(document);
            Origin.of(job).ifPresent(origin -> write(job, origin));
            return Optional.empty();
        } catch (CouchNotFoundException goneWithItsDatabase) {
            return Optional.empty();
        } catch (MalformedDocumentException | IllegalArgumentException | WriteRefusedException cannot) {
            return Optional.of("the end of " + docId + " was not written back: " + cannot.getMessage());
        } catch (CouchException trouble) {
            if (trouble.status() / 100 != 4) {
                throw trouble;
            }
            return Optional.of("the end of " + docId + " was not written back: " + trouble.getMessage());
        }
    }

    private void write(Job job, Origin origin) {
        UserDocuments documents = new UserDocuments(sources.database(origin.database()), environment);
        documents.change(origin.docId(), present -> WriteBack.write(present, place, job, origin.rev()));
    }
}

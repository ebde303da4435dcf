package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.lifecycle.Origin;
import io.couchjobs.engine.lifecycle.WriteBack;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.RecentMap;
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
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Writes how a trigger's jobs ended into the documents that the jobs were made from. Used by one thread at a time. */
final class EndTaker implements Taker {
    /** The maximum number of jobs that are read at once. */
    private static final int MOST_READ = 500;
    /** The maximum number of databases whose unconfirmed writes are remembered. */
    private static final int MOST_DATABASES = 1_000;

    private static final Set<String> OF_ONE_DATABASE =
            Set.of("You are not authorized to access this db.", "You are not allowed to access this db.");

    private final Trigger trigger;
    private final JsonPointer place;
    private final JobStore jobs;
    private final CouchServer sources;
    private final Map<String, UserDocuments> databases = RecentMap.byUse(MOST_DATABASES);

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
    public Step take(Position position, List<Change> changes) {
        List<SourceChange> ends = changes.stream()
                .map(row -> SourceReader.change(position.database(), row))
                .toList();
        Round round = new Round(position.owed());
        if (jobs.isCluster()) {
            round.writeConfirmed(ends);
        } else {
            round.write(ends, ends.stream().map(SourceChange::read).toList());
        }
        return round.step(changes.get(changes.size() - 1).seq(), changes.size());
    }

    /**
     * Writes the ends that could not be written back before, or that no majority of the copies was known to have. Skips a job that
     * was removed or runs again.
     */
    @Override
    public Step takeOwed(Position position, List<SourceChange> owed) {
        Round round = new Round(List.of());
        if (jobs.isCluster()) {
            round.writeConfirmed(owed);
        } else {
            round.write(owed, jobs.database().getAll(ids(owed)));
        }
        return round.step(position.seq(), 0);
    }

    private static List<String> ids(List<SourceChange> ends) {
        return ends.stream().map(SourceChange::id).toList();
    }

    /** The ends of one step. */
    private final class Round {
        private final List<SourceChange> owed;
        private final List<Step.Failure> failures = new ArrayList<>();

        Round(List<SourceChange> owed) {
            this.owed = new ArrayList<>(owed);
        }

        Step step(String seq, int changes) {
            return new Step(seq, changes, 0, owed, failures, Optional.empty());
        }

        void write(List<SourceChange> ends, List<Optional<ObjectNode>> documents) {
            for (int i = 0; i < ends.size(); i++) {
                SourceChange end = ends.get(i);
                documents.get(i).ifPresent(job -> write(end, () -> Job.parse(job)));
            }
        }

        private void write(SourceChange end, Supplier<Job> read) {
            failure(end, read).ifPresent(failures::add);
        }

        /** Writes the ends that a majority of the copies has. A single node may show an end that is undone later. */
        void writeConfirmed(List<SourceChange> ends) {
            for (int from = 0; from < ends.size(); from += MOST_READ) {
                writeSome(ends.subList(from, Math.min(from + MOST_READ, ends.size())));
            }
        }

        private void writeSome(List<SourceChange> some) {
            Map<String, Optional<Snapshot>> known = jobs.ends()
                    .readAll(ids(some).stream().distinct().toList())
                    .orElseThrow(
                            () -> new CouchJobsException(
                                    "no majority of the copies of the jobs is in reach; their ends are written back when one is"));
            for (SourceChange end : some) {
                Optional<Snapshot> state = known.get(end.id());
                if (state == null) {
                    owed.add(end);
                } else if (state.isPresent()) {
                    state.get().job().ifPresent(job -> write(end, () -> job));
                } else { // the document is not a job
                    end.read().ifPresent(document -> write(end, () -> Job.parse(document)));
                }
            }
        }
    }

    /**
     * Writes an end back. A database that refuses the account does not delay other databases. When the whole server refuses the
     * account, all ends wait.
     *
     * @return the failure, if the end cannot be written
     */
    private Optional<Step.Failure> failure(SourceChange end, Supplier<Job> read) {
        try {
            Job job = read.get();
            if (job.phase() == JobPhase.FINISHED) {
                Origin.of(job).ifPresent(origin -> write(job, origin));
            }
            return Optional.empty();
        } catch (CouchNotFoundException goneWithItsDatabase) {
            return Optional.empty();
        } catch (MalformedDocumentException | IllegalArgumentException | WriteRefusedException cannot) {
            return Optional.of(failure(end, cannot));
        } catch (CouchUnauthorizedException refusal) {
            if (!OF_ONE_DATABASE.contains(refusal.reason())) {
                throw refusal;
            }
            return Optional.of(failure(end, refusal));
        }
    }

    private static Step.Failure failure(SourceChange end, RuntimeException cannot) {
        return new Step.Failure(end, "the end of " + end.id() + " was not written back: " + cannot.getMessage(), true);
    }

    private void write(Job job, Origin origin) {
        databases
                .computeIfAbsent(
                        origin.database(), name -> new UserDocuments(sources.database(name), jobs.environment()))
                .change(origin.docId(), new End(job, place));
    }

    /** Writes the end of a job into the document that the job was made from. */
    record End(Job job, JsonPointer place) implements UserDocuments.Change {
        @Override
        public ObjectNode apply(ObjectNode present) {
            return WriteBack.write(present, place, job);
        }

        @Override
        public ObjectNode again(ObjectNode changed) {
            return WriteBack.again(changed, place);
        }

        @Override
        public ObjectNode besideDeleted(ObjectNode changed, String deletedRev) {
            return WriteBack.instead(changed, place, deletedRev);
        }
    }
}

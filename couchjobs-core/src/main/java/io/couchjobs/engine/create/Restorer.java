package io.couchjobs.engine.create;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Restored;
import io.couchjobs.engine.store.JobReader;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.UnreadableDataException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Restores jobs from a copy, where no job of their identity exists. Thread-safe. */
public final class Restorer {
    private static final String UNCONFIRMED =
            "no majority of the cluster's nodes has confirmed it; restore it again to be sure";

    private final JobStore store;
    private final Races races;

    /**
     * Creates an instance that restores jobs into a store.
     *
     * @param clock the time of day
     */
    public Restorer(JobStore store, InstantSource clock) {
        this.store = store;
        this.races = new Races(store, clock);
    }

    /**
     * Stores jobs as they were; see {@link Restored#of} for owned ones. A job that exists, in any state, stays as it
     * is. So the operation is idempotent.
     *
     * @return what happened to each job, in the same order: {@code ADDED}, {@code UNCHANGED} when it exists, or {@code
     *     REJECTED}
     */
    public List<AddResult> restore(List<Job> copies) {
        Map<String, JobReader.Standing> standings = standings(copies);
        Set<JobId> taken = new HashSet<>();
        Map<JobId, AddResult> results = new HashMap<>();
        List<Job> missing = new ArrayList<>();
        for (Job copy : copies) {
            Optional<JobReader.Standing> present =
                    Optional.ofNullable(standings.get(copy.id().docId()));
            if (present.filter(standing -> !standing.gone()).isEmpty() && taken.add(copy.id())) {
                try {
                    String rev = present.map(JobReader.Standing::rev).orElse("");
                    missing.add(restored(copy, Rev.generation(rev)));
                } catch (UnreadableDataException lost) {
                    results.put(copy.id(), AddResult.rejected(copy.id(), String.valueOf(lost.getMessage())));
                }
            }
        }
        List<WriteResult> written =
                missing.isEmpty() ? List.of() : store.writer().writeAll(missing);
        for (int i = 0; i < missing.size(); i++) {
            results.put(missing.get(i).id(), result(missing.get(i), written.get(i)));
        }
        List<AddResult> answers = new ArrayList<>();
        for (Job copy : copies) {
            AddResult unchanged = AddResult.of(AddResult.Outcome.UNCHANGED, copy);
            AddResult answer = results.getOrDefault(copy.id(), unchanged);
            answers.add(answer);
            if (answer.outcome() != AddResult.Outcome.REJECTED) {
                results.remove(copy.id());
            }
        }
        return List.copyOf(answers);
    }

    private Job restored(Job copy, long generation) {
        return store.attaching(store.site().stamp(Restored.of(copy, generation)));
    }

    private AddResult result(Job job, WriteResult written) {
        if (written instanceof WriteResult.Stored stored) {
            return AddResult.of(AddResult.Outcome.ADDED, job.withRev(stored.rev()));
        } else if (written instanceof WriteResult.Refused refused) {
            return AddResult.rejected(job.id(), refused.error() + ": " + refused.reason());
        } else if (written instanceof WriteResult.Accepted accepted) {
            return confirmed(job, accepted)
                    .map(added -> AddResult.of(AddResult.Outcome.ADDED, added))
                    .orElseGet(() -> AddResult.rejected(job.id(), UNCONFIRMED));
        }
        return AddResult.of(AddResult.Outcome.UNCHANGED, job);
    }

    private Optional<Job> confirmed(Job job, WriteResult.Accepted accepted) {
        try {
            return races.stored(job, accepted);
        } catch (UnconfirmedException unknown) {
            return Optional.empty();
        }
    }

    private Map<String, JobReader.Standing> standings(List<Job> copies) {
        Set<String> ids = new HashSet<>();
        copies.forEach(copy -> ids.add(copy.id().docId()));
        return ids.isEmpty() ? Map.of() : new JobReader(store.database()).standings(List.copyOf(ids));
    }
}

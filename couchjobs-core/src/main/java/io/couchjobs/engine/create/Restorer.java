package io.couchjobs.engine.create;

import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Restored;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.UnreadableDataException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts jobs back from a copy, where there is none of their identity. Thread-safe. */
public final class Restorer {
    private static final String UNCONFIRMED =
            "no majority of the cluster's nodes has confirmed it; restore it again to be sure";

    private final JobStore store;

    public Restorer(JobStore store) {
        this.store = store;
    }

    /**
     * Stores jobs as they were; see {@link Restored#of} for owned ones. A job that exists, in any state, stays as it
     * is. So the operation is idempotent.
     *
     * @return in the same order, what happened to each: {@code ADDED}, {@code UNCHANGED} for one that exists, or {@code REJECTED}
     */
    public List<AddResult> restore(List<Job> copies) {
        Map<JobId, ViewResult.Row> known = known(copies);
        Set<JobId> taken = new HashSet<>();
        Map<JobId, AddResult> results = new HashMap<>();
        List<Job> missing = new ArrayList<>();
        for (Job copy : copies) {
            if (!exists(known.get(copy.id())) && taken.add(copy.id())) {
                try {
                    missing.add(restored(copy, generation(known.get(copy.id()))));
                } catch (UnreadableDataException lost) {
                    results.put(copy.id(), AddResult.rejected(copy.id(), String.valueOf(lost.getMessage())));
                }
            }
        }
        List<WriteResult> written = missing.isEmpty() ? List.of() : store.writeAll(missing);
        for (int i = 0; i < missing.size(); i++) {
            results.put(missing.get(i).id(), result(missing.get(i), written.get(i)));
        }
        List<AddResult> answers = new ArrayList<>();
        for (Job copy : copies) {
            AddResult first = results.remove(copy.id());
            answers.add(first != null ? first : AddResult.of(AddResult.Outcome.UNCHANGED, copy));
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
            return store.confirmation().isInPlace(job)
                    ? AddResult.of(AddResult.Outcome.ADDED, job.withRev(accepted.rev()))
                    : AddResult.rejected(job.id(), UNCONFIRMED);
        }
        return AddResult.of(AddResult.Outcome.UNCHANGED, job);
    }

    /** The database's rows of these jobs, deleted ones too. */
    private Map<JobId, ViewResult.Row> known(List<Job> copies) {
        Set<String> ids = new HashSet<>();
        copies.forEach(copy -> ids.add(copy.id().docId()));
        Map<JobId, ViewResult.Row> known = new HashMap<>();
        if (!ids.isEmpty()) {
            store.database().view(ViewQuery.allDocs().keys(ids)).rows().stream()
                    .filter(row -> row.id() != null && row.error().isEmpty())
                    .forEach(row -> JobId.fromDocId(String.valueOf(row.id())).ifPresent(id -> known.put(id, row)));
        }
        return known;
    }

    private static boolean exists(ViewResult.@Nullable Row row) {
        return row != null && !row.value().path("deleted").asBoolean();
    }

    private static long generation(ViewResult.@Nullable Row row) {
        return row == null ? 0 : Rev.generation(row.value().path("rev").asText());
    }
}

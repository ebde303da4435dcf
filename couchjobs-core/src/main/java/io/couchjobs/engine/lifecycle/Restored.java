package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.Lock;
import io.couchjobs.job.ScheduledTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Makes the job to be stored from a job of a backup, when the database has no such job. Stateless. */
public final class Restored {
    private Restored() {}

    /**
     * Returns the job to be stored. It has no owner: a job that was owned in the backup waits again, as if it had been
     * released. The fence of its next claim is greater than all fences in the backup and the database.
     *
     * <p>The result does not depend on a clock. A job that is restored twice has the same bytes, which CouchDB stores as
     * one revision. Different bytes would make another leaf, which could be claimed, too.
     *
     * @param copy the job in the backup; its revision and the other fields that belong to CouchDB are ignored
     * @param generation how often a deleted job of this identity was written; 0 for none
     */
    public static Job of(Job copy, long generation) {
        ObjectNode document = copy.withInlineData().toDocument();
        List<String> names = new ArrayList<>();
        document.fieldNames().forEachRemaining(names::add);
        names.stream()
                .filter(name -> name.startsWith("_") && !name.equals(Field.ID))
                .forEach(document::remove);
        if (Fences.hasFence(copy)) {
            document.put(Field.FENCE, Math.max(copy.fence(), generation));
        }
        ScheduledTime.toMillis(document);
        Job job = Job.trusted(copy.id(), document);
        return job.status().isLocked()
                ? Transitions.release(job, lastMoment(job)).write().orElse(job)
                : job;
    }

    private static Instant lastMoment(Job job) {
        return Stream.concat(job.times().values().stream(), job.lock().map(Lock::since).stream())
                .max(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
    }
}

package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.ScheduledTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Makes the job to be stored from a job of a backup, where there is none. Stateless. */
public final class Restored {
    private Restored() {}

    /**
     * The job as it is to be stored. It has no owner: a job that was owned when it was copied waits again, as if it had
     * been released. Its next claim's fence is greater than all fences in the copy and the database.
     *
     * @param copy the job as it was; its revision and CouchDB's other own fields do not count
     * @param generation how often a job of this identity was written that is deleted now; 0 for none
     */
    public static Job of(Job copy, long generation, Instant now) {
        ObjectNode document = copy.withInlineData().toDocument();
        List<String> names = new ArrayList<>();
        document.fieldNames().forEachRemaining(names::add);
        names.stream()
                .filter(name -> name.startsWith("_") && !name.equals(Field.ID))
                .forEach(document::remove);
        if (copy.fence() > 0) {
            document.put(Field.FENCE, Math.max(copy.fence(), generation));
        }
        ScheduledTime.toMillis(document);
        Job job = Job.trusted(copy.id(), document);
        return job.status().isLocked() ? Transitions.release(job, now).write().orElse(job) : job;
    }
}

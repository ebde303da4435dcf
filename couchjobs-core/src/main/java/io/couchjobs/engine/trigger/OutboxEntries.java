package io.couchjobs.engine.trigger;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.JobId;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Marks or removes the entries of outboxes whose jobs were made. Thread-safe. */
final class OutboxEntries {
    private final UserDocuments documents;
    /** Entries of earlier attempts. A retried step may read its own earlier write, in which these entries are already done. */
    private final Map<String, Done> unsettled = Collections.synchronizedMap(new LinkedHashMap<>());

    OutboxEntries(CouchDatabase database, Environment environment) {
        this.documents = new UserDocuments(database, environment);
    }

    /** The entries of a document whose jobs were made. */
    private record Done(SourceChange change, Set<JobId> jobs) {
        Done and(Done later) {
            Set<JobId> all = new HashSet<>(jobs);
            all.addAll(later.jobs);
            return new Done(later.change, all);
        }
    }

    /**
     * Marks or removes entries. Entries of an earlier step that no majority has confirmed come first.
     *
     * @return the failures: the database's own rules may refuse a change, and the winner of a conflict may be malformed
     */
    List<Step.Failure> done(List<Wanted> made, Trigger trigger, Outbox.Entries after) {
        if (after == Outbox.Entries.LEAVE) {
            return List.of();
        }
        Map<String, Done> all = new LinkedHashMap<>(unsettled);
        for (Wanted each : made) {
            all.merge(each.change().id(), new Done(each.change(), Set.of(each.id())), Done::and);
        }
        List<Step.Failure> failures = new ArrayList<>();
        all.forEach((docId, done) -> {
            unsettled.put(docId, done);
            try {
                documents.change(
                        docId,
                        document ->
                                Outbox.done(Outbox.name(trigger.isPattern(), done.change), document, done.jobs, after));
            } catch (WriteRefusedException | IllegalArgumentException cannot) {
                String reason = "its jobs were made, but its entries could not be changed: " + cannot.getMessage();
                failures.add(new Step.Failure(done.change, reason, false));
            }
            unsettled.remove(docId);
        });
        return failures;
    }
}

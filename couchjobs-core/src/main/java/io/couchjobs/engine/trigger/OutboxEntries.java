package io.couchjobs.engine.trigger;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.JobId;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Marks or removes the entries of outboxes whose jobs were made. Thread-safe. */
final class OutboxEntries {
    private final UserDocuments documents;

    OutboxEntries(CouchDatabase database, Environment environment) {
        this.documents = new UserDocuments(database, environment);
    }

    /**
     * Marks or removes entries.
     *
     * @return what failed: a database may have rules that refuse the change, and the winner of a conflict may be malformed
     */
    List<Step.Failure> done(List<Wanted> made, Trigger trigger, Outbox.Entries after) {
        if (after == Outbox.Entries.LEAVE) {
            return List.of();
        }
        Map<String, SourceChange> changes = new LinkedHashMap<>();
        Map<String, Set<JobId>> byDocument = new HashMap<>();
        for (Wanted each : made) {
            changes.put(each.change().id(), each.change());
            byDocument
                    .computeIfAbsent(each.change().id(), id -> new HashSet<>())
                    .add(each.id());
        }
        List<Step.Failure> failures = new ArrayList<>();
        changes.forEach((docId, change) -> {
            Set<JobId> jobs = byDocument.getOrDefault(docId, Set.of());
            try {
                documents.change(
                        docId,
                        document -> Outbox.done(Outbox.name(trigger.isPattern(), change), document, jobs, after));
            } catch (WriteRefusedException | IllegalArgumentException cannot) {
                String reason = "its jobs were made, but its entries could not be changed: " + cannot.getMessage();
                failures.add(new Step.Failure(change, reason, false));
            }
        });
        return failures;
    }
}

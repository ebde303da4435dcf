package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.registry.WorkerRegistration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The design documents of other versions of couchjobs, older or newer. Their indexes cost time and disk space with each
 * write. A design document that a living worker queries stays, because the worker would store it again.
 */
final class OldDesigns {
    /** The names of the design documents that this version always stores. */
    static final List<String> WANTED =
            DesignDocument.ALL.stream().map(DesignDocument::versionedName).toList();

    private static final Set<String> OURS = Stream.concat(
                    WANTED.stream(), DesignDocument.ON_DEMAND.stream().map(DesignDocument::versionedName))
            .collect(Collectors.toSet());

    private final CouchDatabase database;
    private final DesignDocuments designs;

    OldDesigns(CouchDatabase database, DesignDocuments designs) {
        this.database = database;
        this.designs = designs;
    }

    /**
     * Removes the design documents that no living worker queries; a dry run only names them. Reports each one that the
     * server refuses to remove.
     */
    List<String> remove(List<WorkerRegistration> workers, boolean dryRun, Consumer<String> problem) {
        List<String> removed = new ArrayList<>();
        List<String> installed = designs.installed();
        boolean allSay = workers.stream().allMatch(worker -> worker.designs().isPresent());
        if (!allSay || !installed.containsAll(WANTED)) {
            return removed;
        }
        Set<String> used = workers.stream()
                .flatMap(worker -> worker.designs().orElse(List.of()).stream())
                .collect(Collectors.toSet());
        // Workers do not name the design documents that they query only sometimes.
        boolean allAreOfThisVersion = workers.stream()
                .allMatch(worker -> worker.designs().orElse(List.of()).containsAll(WANTED));
        for (String name : installed) {
            boolean mayBeAsked = used.contains(name) || (DesignDocument.isOnDemand(name) && !allAreOfThisVersion);
            Optional<ObjectNode> old = designs.read(name)
                    .filter(stored -> !OURS.contains(name) && !mayBeAsked)
                    .filter(stored -> DesignDocument.isGenuine(name, stored));
            if (old.isPresent() && (dryRun || isDeleted(old.get(), problem))) {
                removed.add(name);
            }
        }
        return removed;
    }

    private boolean isDeleted(ObjectNode document, Consumer<String> problem) {
        WriteResult written = database.put(Tombstone.of(
                document.path("_id").asText(), document.path("_rev").asText()));
        if (written instanceof WriteResult.Refused refused) {
            problem.accept("a design document of another version cannot be removed: " + refused.reason());
        }
        return written instanceof WriteResult.Stored;
    }
}

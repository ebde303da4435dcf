package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.job.Site;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The document {@code worker:ID} by which a process renews the leases of all jobs it runs with one write. Thread-safe.
 */
final class Registration {
    private static final Duration PARTING = Duration.ofSeconds(5);

    private final CouchDatabase database;
    private final ObjectNode document;
    private Supplier<Optional<String>> group = Optional::empty;

    Registration(CouchDatabase database, String worker, Collection<String> types, Instant now) {
        this(database, worker, types, now, ProcessHandle.current().pid());
    }

    Registration(CouchDatabase database, String worker, Collection<String> types, Instant now, long pid) {
        this.database = database;
        this.document = JsonNodeFactory.instance.objectNode();
        document.put("_id", DocIds.WORKER + worker);
        document.put(WorkerRegistration.PID, pid);
        serves(types);
        var designs = document.putArray(WorkerRegistration.DESIGNS);
        // Design documents that a living worker uses are not cleaned up.
        DesignDocument.ALL.forEach(design -> designs.add(design.versionedName()));
        document.put(WorkerRegistration.STARTED, now.toEpochMilli());
        // In a database with a guard, no other user may renew this registration.
        database.server().config().auth().login().ifPresent(user -> document.put("user", user));
    }

    /** Sets the types that the worker claims, from the next sign of life on. */
    synchronized void serves(Collection<String> types) {
        types.stream().sorted().forEach(document.putArray(WorkerRegistration.TYPES)::add);
    }

    /** Sets the site of the worker. Must be called before the first sign of life. */
    Registration at(Site site) {
        if (site.name() != null) {
            document.put(WorkerRegistration.SITE, site.name());
        }
        return this;
    }

    /**
     * Sets the source of the group from which the worker last took a job, when groups take turns. Must be called before the
     * first sign of life.
     */
    Registration tells(Supplier<Optional<String>> lastGroup) {
        group = lastGroup;
        return this;
    }

    /**
     * Returns the group from which a worker of this id took its last job, as stored in the registration or its tombstone. Must
     * be called before the first sign of life.
     */
    Optional<String> lastGroup() {
        String docId = document.path("_id").asText();
        return database.leaves(docId).stream()
                .map(leaf -> WorkerRegistration.of(docId, leaf))
                .filter(leaf -> leaf.lastGroup().isPresent())
                .max(Comparator.comparing(WorkerRegistration::at))
                .flatMap(WorkerRegistration::lastGroup);
    }

    /**
     * Writes a sign of life.
     *
     * @param next how long until the next sign of life is planned
     * @return whether a majority confirmed the write; an unconfirmed write (202) renews nothing
     */
    synchronized boolean beat(int running, Instant now, Duration next, Duration patience) {
        document.put("running", running);
        document.put(
                WorkerRegistration.BEAT, document.path(WorkerRegistration.BEAT).asLong() + 1);
        document.put(WorkerRegistration.AT, now.toEpochMilli());
        document.put(WorkerRegistration.NEXT, next.toMillis());
        group.get().ifPresent(last -> document.put(WorkerRegistration.LAST_GROUP, last));
        if (isConfirmed(patience)) {
            return true;
        }
        return isConfirmed(patience);
    }

    /**
     * Writes the registration once. A conflict is with an earlier write whose answer was lost, or with an earlier process of
     * this id.
     */
    private boolean isConfirmed(Duration patience) {
        if (WriteRefusedException.check(database.put(document, patience)) instanceof WriteResult.Stored stored) {
            document.put("_rev", stored.rev());
            return true;
        }
        database.get(document.path("_id").asText(), patience)
                .ifPresentOrElse(present -> document.set("_rev", present.get("_rev")), () -> document.remove("_rev"));
        return false;
    }

    synchronized void remove() {
        if (document.has("_rev")) {
            document.put("_deleted", true);
            group.get().ifPresent(last -> document.put(WorkerRegistration.LAST_GROUP, last));
            database.put(document, PARTING);
        }
    }
}

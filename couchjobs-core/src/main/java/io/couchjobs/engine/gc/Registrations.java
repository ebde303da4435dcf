package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.registry.Registry;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.job.Site;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The registrations of workers, and which of them are dead. Thread-safe.
 *
 * <p>A worker that owns no jobs gives a sign of life every five minutes. Workers that own jobs are left to the activity
 * monitors. A living worker whose registration was removed because its process stood still registers again with its next
 * sign of life.
 */
public final class Registrations {
    private static final Duration SILENCE = Duration.ofMinutes(15);

    private final CouchDatabase database;
    private final JobIndex index;
    private final Site site;

    Registrations(CouchDatabase database, JobIndex index, Site site) {
        this.database = database;
        this.index = index;
        this.site = site;
    }

    /** {@return the registrations of the workers that must be taken to be alive} */
    List<WorkerRegistration> alive(Instant now) {
        List<WorkerRegistration> alive = new ArrayList<>(all());
        alive.removeAll(dead(now));
        return alive;
    }

    /**
     * Returns whether no worker is registered and no job has an owner. A program that claims jobs itself may own jobs
     * without a registration.
     */
    boolean nobodyWorks(Instant now) {
        return alive(now).isEmpty() && index.owned().isEmpty();
    }

    List<WorkerRegistration> dead(Instant now) {
        List<WorkerRegistration> silent = all().stream()
                .filter(worker -> worker.isFrom(site) && worker.at().isBefore(now.minus(SILENCE)))
                .toList();
        if (silent.isEmpty()) {
            return silent;
        }
        Set<String> owners = new HashSet<>();
        index.owned().forEach(owned -> owners.add(owned.worker()));
        return silent.stream().filter(worker -> !owners.contains(worker.id())).toList();
    }

    /** Removes a registration unless it has changed meanwhile. */
    boolean remove(WorkerRegistration registration) {
        ObjectNode tombstone = registration.document().<ObjectNode>deepCopy().put("_deleted", true);
        return database.put(tombstone) instanceof WriteResult.Stored;
    }

    private List<WorkerRegistration> all() {
        return Registry.read(database).stream()
                .filter(WorkerRegistration::isGenuine)
                .toList();
    }
}

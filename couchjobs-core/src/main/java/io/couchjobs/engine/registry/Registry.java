package io.couchjobs.engine.registry;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.job.WorkerInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The registered workers of a database. Stateless, and independent of any clock.
 *
 * <p>A registration shows when its worker gave the last sign of life, by the server's clock. This is enough to show a
 * worker as silent, or to delete a registration that no job needs. Only an observer that compares {@link SignOfLife}s on
 * its own monotonic clock may declare a worker dead and take its jobs.
 */
public final class Registry {
    private Registry() {}

    /**
     * {@return all registrations in the order of their ids, including those of other sites, and other documents with such
     * an id}
     */
    public static List<WorkerRegistration> read(CouchDatabase database) {
        return new SharedDocuments(database)
                .readAll(DocIds.WORKER).stream()
                        .map(document ->
                                WorkerRegistration.of(document.path("_id").asText(), document))
                        .toList();
    }

    /**
     * Reads the registrations and the index of owned jobs. Returns the workers of this site, and all owners of jobs of this
     * site.
     */
    public static List<WorkerInfo> workers(CouchDatabase database, JobIndex index) {
        Map<String, List<WorkerInfo.OwnedJob>> owned = new TreeMap<>();
        index.owned().forEach(job -> owned.computeIfAbsent(job.worker(), worker -> new ArrayList<>())
                .add(job));
        Map<String, WorkerRegistration> registered =
                read(database).stream().collect(Collectors.toMap(WorkerRegistration::id, Function.identity()));
        Set<String> ids = new TreeSet<>(owned.keySet());
        registered.values().stream()
                .filter(worker -> worker.isFrom(index.site()))
                .map(WorkerRegistration::id)
                .forEach(ids::add);
        return ids.stream()
                .map(id -> new WorkerInfo(
                        id,
                        Optional.ofNullable(registered.get(id))
                                .map(Registry::info)
                                .orElse(null),
                        owned.getOrDefault(id, List.of())))
                .toList();
    }

    /** {@return the contents of a registration for users} */
    public static WorkerInfo.Registered info(WorkerRegistration known) {
        return new WorkerInfo.Registered(known.at(), known.started(), known.pid(), known.types(), known.next());
    }
}

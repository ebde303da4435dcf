package io.couchjobs.engine.registry;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The workers of a database, and the jobs that each of them owns. Stateless. */
public final class WorkerList {
    private WorkerList() {}

    /**
     * Reads the registrations and the index of owned jobs.
     *
     * @param database the database
     * @param index its index
     * @return the workers, by their ids
     */
    public static List<WorkerInfo> read(CouchDatabase database, JobIndex index) {
        Map<String, List<WorkerInfo.OwnedJob>> owned = new TreeMap<>();
        index.owned().forEach(job -> owned.computeIfAbsent(job.worker(), worker -> new ArrayList<>())
                .add(job));
        Map<String, WorkerInfo.Registered> registered = registrations(database);
        Set<String> ids = new TreeSet<>(registered.keySet());
        ids.addAll(owned.keySet());
        return ids.stream()
                .map(id -> new WorkerInfo(id, registered.get(id), owned.getOrDefault(id, List.of())))
                .toList();
    }

    private static Map<String, WorkerInfo.Registered> registrations(CouchDatabase database) {
        Map<String, WorkerInfo.Registered> registered = new TreeMap<>();
        ViewQuery all = ViewQuery.allDocs()
                .startKey(DocIds.WORKER)
                .endKey(DocIds.WORKER + "\uffff")
                .includeDocs(true);
        database.view(all).rows().forEach(row -> {
            if (row.doc() != null) {
                registered.put(row.key().asText().substring(DocIds.WORKER.length()), registered(row.doc()));
            }
        });
        return registered;
    }

    private static WorkerInfo.Registered registered(JsonNode document) {
        List<String> types = new ArrayList<>();
        document.path("types").forEach(type -> types.add(type.asText()));
        return new WorkerInfo.Registered(
                Instant.ofEpochMilli(document.path("at").asLong()),
                Instant.ofEpochMilli(document.path("started").asLong()),
                document.path("pid").asLong(),
                types,
                Duration.ofMillis(document.path("next").asLong()));
    }
}

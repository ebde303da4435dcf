package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedJobException;
import io.couchjobs.store.JobIndex;
import io.couchjobs.store.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Who runs what. Thread-safe. */
final class Workers {
    /** Of more jobs than this only the names are told, not how far they are. */
    private static final int MOST_READ = 200;
    /** Workers renew the leases of their jobs every third of a timeout, which is a minute unless set otherwise. */
    private static final Duration SILENT = Duration.ofMinutes(1);

    private static final Duration FRESH = Duration.ofSeconds(1);

    private final JobQueue queue;
    private final JobIndex index;
    private final Cached<List<Worker>> cached = new Cached<>(FRESH, this::read);

    Workers(JobQueue queue) {
        this.queue = queue;
        this.index = new JobIndex(queue.designDocuments(), queue.site());
    }

    /** A worker's registration, and the jobs it owns. */
    record Worker(String id, boolean registered, JsonNode registration, List<JobIndex.Owned> jobs) {
        boolean isSilent(long now) {
            return !registered || now - registration.path("at").asLong() > SILENT.toMillis();
        }

        boolean runs(String type) {
            for (JsonNode one : registration.path("types")) {
                if (one.asText().equals(type)) {
                    return true;
                }
            }
            return false;
        }
    }

    List<Worker> all() {
        return cached.get();
    }

    /** {@return whether a living worker takes jobs of the type} */
    boolean anyRuns(String type, long now) {
        return all().stream().anyMatch(worker -> !worker.isSilent(now) && worker.runs(type));
    }

    ObjectNode json() {
        long now = Clock.now(queue);
        ObjectNode json = Call.JSON.createObjectNode().put("now", now);
        Map<JobId, Job> read = readJobs();
        ArrayNode workers = json.putArray("workers");
        for (Worker worker : all()) {
            ObjectNode one = summary(worker, now);
            workers.add(one);
            ArrayNode jobs = one.putArray("jobs");
            worker.jobs().stream()
                    .limit(MOST_READ)
                    .forEach(owned -> jobs.add(Optional.ofNullable(read.get(owned.id()))
                            .map(JobJson::summary)
                            .orElseGet(() -> JobJson.name(owned.id()))));
        }
        return json;
    }

    static ObjectNode summary(Worker worker, long now) {
        ObjectNode json = Call.JSON
                .createObjectNode()
                .put("id", worker.id())
                .put("registered", worker.registered())
                .put("silent", worker.isSilent(now))
                .put("owned", worker.jobs().size());
        if (worker.registered()) {
            json.put("at", worker.registration().path("at").asLong())
                    .put("started", worker.registration().path("started").asLong())
                    .put("pid", worker.registration().path("pid").asLong());
            ArrayNode types = json.putArray("types");
            worker.registration().path("types").forEach(type -> types.add(type.asText()));
        }
        return json;
    }

    private Map<JobId, Job> readJobs() {
        List<String> ids = all().stream()
                .flatMap(worker -> worker.jobs().stream())
                .limit(MOST_READ)
                .map(owned -> owned.id().docId())
                .toList();
        Map<JobId, Job> jobs = new LinkedHashMap<>();
        if (!ids.isEmpty()) {
            queue.database().getAll(ids).stream().flatMap(Optional::stream).forEach(document -> {
                try {
                    Job job = Job.parse(document);
                    jobs.put(job.id(), job);
                } catch (MalformedJobException changedMeanwhile) {
                    // its name is told
                }
            });
        }
        return jobs;
    }

    private List<Worker> read() {
        Map<String, List<JobIndex.Owned>> owned = new LinkedHashMap<>();
        index.owned().forEach(job -> owned.computeIfAbsent(job.worker(), worker -> new ArrayList<>())
                .add(job));
        Map<String, JsonNode> registered = new LinkedHashMap<>();
        queue.database()
                .view(ViewQuery.allDocs()
                        .startKey(Owner.REGISTRATION)
                        .endKey(Owner.REGISTRATION + "\uffff")
                        .includeDocs(true))
                .rows()
                .forEach(row -> {
                    if (row.doc() != null) {
                        registered.put(String.valueOf(row.id()).substring(Owner.REGISTRATION.length()), row.doc());
                    }
                });
        Set<String> ids = new LinkedHashSet<>(registered.keySet());
        ids.addAll(owned.keySet());
        return ids.stream()
                .map(id -> new Worker(
                        id,
                        registered.containsKey(id),
                        registered.getOrDefault(id, Call.JSON.createObjectNode()),
                        owned.getOrDefault(id, List.of())))
                .toList();
    }
}

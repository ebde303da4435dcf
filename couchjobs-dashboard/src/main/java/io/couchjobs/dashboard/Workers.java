package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.JobDocuments;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Shows the workers and the jobs that they run. Thread-safe. */
final class Workers {
    /** The number of jobs that are read; only the names of further jobs are shown. */
    private static final int MOST_READ = 200;

    private static final Duration FRESH = Duration.ofSeconds(1);

    private final JobQueue queue;
    private final Cached<List<WorkerInfo>> cached;

    Workers(JobQueue queue) {
        this.queue = queue;
        this.cached = new Cached<>(FRESH, queue.operations()::workers, queue.operations()::building);
    }

    List<WorkerInfo> all() {
        return cached.get();
    }

    ObjectNode json() {
        long now = ServerTime.millis(queue);
        ObjectNode json = Call.JSON.createObjectNode().put("now", now);
        Stream<JobId> running = all().stream()
                .flatMap(worker -> worker.jobs().stream())
                .map(WorkerInfo.OwnedJob::id)
                .limit(MOST_READ);
        Map<JobId, Job> read = JobDocuments.read(queue, running);
        ArrayNode workers = json.putArray("workers");
        for (WorkerInfo worker : all()) {
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

    static ObjectNode summary(WorkerInfo worker, long now) {
        ObjectNode json = Call.JSON
                .createObjectNode()
                .put("id", worker.id())
                .put("registered", worker.registration().isPresent())
                .put("silent", worker.isSilent(Instant.ofEpochMilli(now)))
                .put("owned", worker.jobs().size());
        worker.registration().ifPresent(known -> {
            json.put("at", known.at().toEpochMilli())
                    .put("started", known.started().toEpochMilli())
                    .put("pid", known.pid());
            known.types().forEach(json.putArray("types")::add);
        });
        return json;
    }
}

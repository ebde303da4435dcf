package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.index.FinishedJobs;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.FinishedJob;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import io.couchjobs.type.Retention;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Deletes, in batches, the finished jobs that the retention of their types does not keep. Deletes each job on the revision
 * with which it finished, so a job that was added again meanwhile stays. Jobs of other sites are left to those sites.
 * Thread-safe; any number of processes may do so at the same time.
 */
final class Retirement {
    /**
     * How long a finished job stays at least. A caller that waits for the job hears of the finish by the feed. If the job
     * were deleted at the same moment, the feed would report only the deletion.
     */
    static final Duration LAG = Duration.ofSeconds(5);

    private static final int BATCH = 250;

    private final JobStore store;
    private final FinishedJobs finished;
    private final SettingsStore settings;
    private final JobIndex index;
    private final FinishedLogs logs;

    Retirement(QueueParts parts) {
        this.store = parts.store();
        this.finished = new FinishedJobs(parts.index());
        this.settings = parts.settings();
        this.index = parts.index();
        this.logs = new FinishedLogs(parts);
    }

    /**
     * Counts, by type, the jobs that {@link #run} would delete at most. The count includes jobs that other jobs wait for,
     * which are not deleted.
     */
    Map<String, Long> count(Instant until, Instant now) {
        Map<String, Long> counts = new TreeMap<>();
        expendable(until, now).forEach((line, ranges) -> {
            long jobs = ranges.stream().mapToLong(finished::count).sum();
            if (jobs > 0) {
                counts.merge(Site.typeOf(line), jobs, Long::sum);
            }
        });
        return counts;
    }

    /** Deletes the jobs. Adds to the counts by type, even when it fails halfway. */
    void run(Instant until, Instant now, Map<String, Long> counts, LongConsumer progress) throws InterruptedException {
        Set<String> needed = null;
        for (Map.Entry<String, List<FinishedJobs.Range>> line :
                expendable(until, now).entrySet()) {
            for (FinishedJobs.Range range : line.getValue()) {
                List<FinishedJob> first = finished.page(range, null, BATCH);
                if (!first.isEmpty()) {
                    // A job that is held from now on learns from the tombstone how a deleted job ended.
                    needed = needed == null ? new AwaitedJobs(store.database(), index).docIds() : needed;
                    retire(Site.typeOf(line.getKey()), range, first, new Pass(needed, counts, progress));
                }
            }
        }
    }

    private Map<String, List<FinishedJobs.Range>> expendable(Instant until, Instant now) {
        Map<String, List<FinishedJobs.Range>> ranges = new TreeMap<>();
        Map<String, Map<JobStatus, Long>> counts = finished.counts();
        if (counts.isEmpty()) {
            return ranges;
        }
        Function<String, TypeSettings> known = settings();
        counts.forEach((line, byStatus) -> byStatus.forEach((status, jobs) -> {
            String type = Site.typeOf(line);
            Retention retention = known.apply(type).retentionOf(status);
            if (!(retention instanceof Retention.Newest newest && newest.jobs() >= jobs)) {
                finished.expendable(line, status, retention, until, now)
                        .ifPresent(range -> ranges.computeIfAbsent(line, none -> new ArrayList<>())
                                .add(range));
            }
        }));
        return ranges;
    }

    /**
     * Returns the settings by type. A list shows the settings of one copy of a cluster, which may be behind; a single
     * document is asked of several copies.
     */
    private Function<String, TypeSettings> settings() {
        if (store.isCluster()) {
            Map<String, TypeSettings> read = new HashMap<>();
            return type -> read.computeIfAbsent(type, settings::read);
        }
        Map<String, TypeSettings> all = settings.readAll();
        return type -> all.getOrDefault(type, TypeSettings.none(type));
    }

    private void retire(String type, FinishedJobs.Range range, List<FinishedJob> first, Pass pass)
            throws InterruptedException {
        boolean haveLogs = logs.hasAny(type);
        Pace pace = new Pace(store.environment());
        List<FinishedJob> page = first;
        while (!page.isEmpty()) {
            List<FinishedJob> free = page.stream()
                    .filter(row -> !pass.needed.contains(row.docId())
                            && JobId.fromDocId(row.docId()).isPresent())
                    .toList();
            pass.deleted(type, haveLogs ? retireWithLogs(free) : retire(free).size());
            pace.rest();
            pace.begin();
            // Jobs that were not deleted are still in the index, so the next page begins behind them.
            page = finished.page(range, page.get(page.size() - 1), BATCH);
        }
    }

    /**
     * Deletes jobs and their logs. Looks up the logs before the jobs are deleted: a job that is added anew afterwards
     * writes chunks with the same ids.
     */
    private int retireWithLogs(List<FinishedJob> rows) {
        Map<JobId, List<ObjectNode>> chunks =
                logs.tombstonesOf(rows.stream().map(Retirement::idOf).toList());
        List<JobId> gone = retire(rows);
        logs.delete(gone.stream()
                .flatMap(job -> chunks.getOrDefault(job, List.of()).stream())
                .toList());
        return gone.size();
    }

    private List<JobId> retire(List<FinishedJob> rows) {
        return store.retire(rows).stream()
                .flatMap(docId -> JobId.fromDocId(docId).stream())
                .toList();
    }

    private static JobId idOf(FinishedJob row) {
        return JobId.fromDocId(row.docId()).orElseThrow();
    }

    /**
     * One run: the documents of the jobs that other jobs wait for, the deleted jobs by type, and the listener of the
     * progress.
     */
    private record Pass(Set<String> needed, Map<String, Long> counts, LongConsumer progress) {
        void deleted(String type, int jobs) {
            if (jobs > 0) {
                counts.merge(type, (long) jobs, Long::sum);
                progress.accept(
                        counts.values().stream().mapToLong(Long::longValue).sum());
            }
        }
    }
}

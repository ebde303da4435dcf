package io.couchjobs.engine.gc;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.PastChanges;
import io.couchjobs.engine.limit.SlotName;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobTombstone;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Logs;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Purges the tombstones that deleted jobs, slots and workers leave behind: CouchDB keeps a tombstone of each deleted
 * document for ever.
 *
 * <p>A tombstone also makes CouchDB refuse a late write. If a document does not exist at all, CouchDB stores the first
 * write that names any revision of it. So a worker that stood still, or did not hear that its job was removed, could bring
 * a purged job back. A tombstone is therefore purged in two cases only. Either it is older than any process's memory of the
 * document, or it says that the job had finished before it was deleted, and nobody works. A tombstone also stays while
 * another job waits for the deleted job, because only the tombstone tells how that job ended. {@linkplain EveryCopy Every
 * copy} has a tombstone before it is purged. A purge names the leaves that were read. A document that was written meanwhile
 * has other leaves, so the purge does not affect it.
 */
final class Tombstones {
    private static final int PAGE = 1000;
    /**
     * The number of ids that a server accepts by default. Up to this number, the server looks the ids up instead of reading
     * the whole feed.
     */
    private static final int BATCH = 100;

    private final CouchDatabase database;
    private final Rules rules;
    private final EveryCopy everyCopy;
    private long purged;
    private long kept;
    private boolean isCopyAway;

    Tombstones(JobStore store, Rules rules) {
        this.database = store.database();
        this.everyCopy = new EveryCopy(store);
        this.rules = rules;
    }

    /**
     * The rules that say which tombstones may be purged.
     *
     * @param old the position of the feed before which every tombstone is old; empty when it is not known
     * @param allAreOld whether the age of tombstones does not matter
     * @param nobodyWorks whether nobody has a claim, or may make one; asked once a page
     * @param awaited the documents of the jobs that other jobs wait for; asked before each purge, because jobs are added
     *     meanwhile
     * @param turnsSince the time since which workers' turns between groups are remembered
     */
    record Rules(
            Optional<String> old,
            boolean allAreOld,
            BooleanSupplier nobodyWorks,
            Supplier<Set<String>> awaited,
            Instant turnsSince) {}

    long purged() {
        return purged;
    }

    long kept() {
        return kept;
    }

    /** {@return whether the run ended early because a copy was not in reach} Such a copy would bring purged jobs back. */
    boolean isCopyAway() {
        return isCopyAway;
    }

    /**
     * Goes through all tombstones and purges those that may be purged. A dry run only counts them.
     *
     * @param most the number of documents and tombstones at the beginning. Later changes go to the end of the feed. While
     *     workers are busy, a run that followed these changes would never end
     * @param afterPurge called after each page from which tombstones were purged
     */
    void run(boolean dryRun, long most, Step afterPurge, LongConsumer progress) throws InterruptedException {
        List<Change> page = read(ChangesRequest.normal().styleAllDocs(true).limit(PAGE));
        for (long left = most; left > 0 && !page.isEmpty() && !isCopyAway; left -= page.size()) {
            List<Change> ours = page.stream().filter(Tombstones::mayBeOurs).toList();
            long before = purged;
            if (!ours.isEmpty()) {
                work(ours, dryRun, progress);
            }
            if (purged > before && !dryRun) {
                afterPurge.run();
            }
            page = read(ChangesRequest.normal()
                    .styleAllDocs(true)
                    .since(page.get(page.size() - 1).seq())
                    .limit(PAGE));
        }
    }

    private void work(List<Change> ours, boolean dryRun, LongConsumer progress) throws InterruptedException {
        boolean nobodyWorks = rules.nobodyWorks.getAsBoolean();
        for (int from = 0; from < ours.size() && !isCopyAway; from += BATCH) {
            List<Change> batch = ours.subList(from, Math.min(from + BATCH, ours.size()));
            Pace pace = new Pace(ServerAccess.environment(database.server()));
            Map<String, List<String>> go = expendable(batch, nobodyWorks);
            if (!go.isEmpty()) {
                go.keySet().removeAll(rules.awaited.get());
            }
            if (!dryRun && !go.isEmpty()) {
                Optional<Set<String>> everywhere = everyCopy.take(go);
                isCopyAway = everywhere.isEmpty();
                go.keySet().retainAll(everywhere.orElse(Set.of()));
            }
            kept += batch.size() - go.size();
            purged += dryRun ? go.size() : purge(go);
            progress.accept(purged);
            pace.rest();
        }
    }

    private static boolean mayBeOurs(Change change) {
        String id = change.id();
        boolean called = JobId.fromDocId(id).isPresent() || Logs.Chunk.jobOf(id).isPresent();
        return change.deleted()
                && (called || SlotName.isOf(id) || id.startsWith(DocIds.WORKER) || id.startsWith(DocIds.STATS));
    }

    /** {@return the tombstones that may be purged, with their leaves} */
    private Map<String, List<String>> expendable(List<Change> batch, boolean nobodyWorks) throws InterruptedException {
        List<String> ids = batch.stream().map(Change::id).toList();
        Set<String> young = young(ids);
        Map<String, List<String>> go = new HashMap<>();
        for (Change now :
                read(ChangesRequest.normal().docIds(ids).styleAllDocs(true).includeDocs(true))) {
            boolean isOld = rules.allAreOld || !young.contains(now.id());
            boolean mayGo = isOld || (nobodyWorks && isFinal(now));
            if (now.deleted() && isOurs(now) && mayGo && !tellsTurn(now)) {
                go.put(now.id(), now.revs());
            }
        }
        return go;
    }

    private Set<String> young(List<String> ids) throws InterruptedException {
        if (rules.old.isEmpty() || rules.allAreOld) {
            return new HashSet<>(ids);
        }
        Set<String> young = new HashSet<>();
        read(ChangesRequest.normal().docIds(ids).since(rules.old.get())).forEach(change -> young.add(change.id()));
        return young;
    }

    private boolean tellsTurn(Change tombstone) {
        return !rules.allAreOld
                && tombstone.id().startsWith(DocIds.WORKER)
                && tombstone.doc() != null
                && tellsTurn(WorkerRegistration.of(tombstone.id(), tombstone.doc()));
    }

    /**
     * Returns whether a former worker's turn is still remembered. A worker that starts again under its id continues after
     * the group that it took from last.
     */
    private boolean tellsTurn(WorkerRegistration former) {
        return former.lastGroup().isPresent() && former.at().toEpochMilli() >= rules.turnsSince.toEpochMilli();
    }

    private static boolean isOurs(Change tombstone) {
        return !tombstone.id().startsWith(DocIds.WORKER)
                || (tombstone.doc() != null
                        && WorkerRegistration.of(tombstone.id(), tombstone.doc())
                                .isGenuine());
    }

    /** Returns whether nobody had a claim on the document any more when it was deleted. */
    private static boolean isFinal(Change tombstone) {
        return !tombstone.id().startsWith(DocIds.JOB)
                || (tombstone.doc() != null
                        && JobTombstone.retiredStatus(tombstone.doc()).isPresent());
    }

    /**
     * Purges tombstones. A server may be configured to accept fewer ids at a time than by default; then each half is purged
     * alone.
     */
    private long purge(Map<String, List<String>> leaves) {
        if (leaves.isEmpty()) {
            return 0;
        }
        try {
            return database.purge(leaves).values().stream()
                    .filter(revs -> !revs.isEmpty())
                    .count();
        } catch (CouchException tooMany) {
            if (tooMany.status() != 400 || leaves.size() == 1) {
                throw tooMany;
            }
            Map<String, List<String>> half = new HashMap<>(leaves);
            Map<String, List<String>> otherHalf = new HashMap<>();
            leaves.keySet().stream().limit(leaves.size() / 2).forEach(id -> otherHalf.put(id, half.remove(id)));
            return purge(half) + purge(otherHalf);
        }
    }

    private List<Change> read(ChangesRequest request) throws InterruptedException {
        List<Change> changes = PastChanges.read(database, request);
        if (Thread.interrupted()) {
            throw new InterruptedException(); // an incomplete list would make young tombstones look old
        }
        return changes;
    }

    /** A step that may be interrupted. */
    interface Step {
        void run() throws InterruptedException;
    }
}

package io.couchjobs.engine.due.share;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.registry.Registry;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Site;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The workers that are registered in a database, and their rank for a job: the first by rank is to claim it.
 * Thread-safe.
 *
 * <p>All workers compute the ranks by the same hash, so they agree without communication. Registrations that were
 * replicated from other sites do not count. The rank is advice, which spares conflicts: a worker that died, is busy or
 * not known yet costs a moment, never a job; see {@link ClaimTurns}.
 */
public final class WorkerRanking {
    private final String self;
    private final Site site;
    private final Map<String, Peer> others = new ConcurrentHashMap<>();
    /** The workers whose deletion the feed reported while the registrations are being read. */
    private final Set<String> deleted = new HashSet<>();

    private int readings;
    private volatile boolean doubtful = true;

    public WorkerRanking(String self, Site site) {
        this.self = self;
        this.site = site;
    }

    /** Reads the registered workers; later changes come by {@link #changed}. */
    public void load(CouchDatabase database) {
        doubtful = false;
        Set<String> known = begin();
        try {
            takeIn(Registry.read(database), known);
        } catch (RuntimeException trouble) {
            doubtful = true;
            throw trouble;
        } finally {
            end();
        }
    }

    /** {@return the workers known so far} A worker that registers from now on is kept, and one that is deleted stays away. */
    private synchronized Set<String> begin() {
        readings++;
        return new HashSet<>(others.keySet());
    }

    private synchronized void takeIn(List<WorkerRegistration> read, Set<String> known) {
        read.stream().filter(worker -> !deleted.contains(worker.id())).forEach(worker -> {
            add(worker);
            known.remove(worker.id());
        });
        others.keySet().removeAll(known);
    }

    private synchronized void end() {
        if (--readings == 0) {
            deleted.clear();
        }
    }

    /**
     * Notes that changes were missed. The known workers remain the best guess until they are {@linkplain #load loaded}
     * again.
     */
    public void doubt() {
        doubtful = true;
    }

    public boolean isInDoubt() {
        return doubtful;
    }

    /** Takes in an event of the feed: the registration of a worker, or the claim of a job. */
    public void changed(FeedEvent event, long nanos) {
        if (!event.docId().startsWith(DocIds.WORKER)) {
            event.job()
                    .flatMap(Job::lock)
                    .map(lock -> others.get(lock.worker()))
                    .ifPresent(peer -> peer.claimed(nanos));
            return;
        }
        changed(WorkerRegistration.idOf(event.docId()), event);
    }

    private synchronized void changed(String id, FeedEvent event) {
        JsonNode document = event.document();
        if (event.deleted()) {
            others.remove(id);
            if (readings > 0) {
                deleted.add(id);
            }
        } else if (document != null) {
            deleted.remove(id);
            add(WorkerRegistration.of(event.docId(), document));
        }
    }

    /** Takes in that another process wrote a job. Most likely it was the worker that is first by rank. */
    public void changed(JobId job, long nanos) {
        Peer first = standing(job).first();
        if (first != null) {
            first.claimed(nanos);
        }
    }

    /** {@return the number of workers, including this one} */
    public int count() {
        return 1 + others.size();
    }

    /** {@return the number of workers for a type, including this one} */
    public int count(String type) {
        return 1
                + (int) others.values().stream()
                        .filter(other -> other.types.contains(type))
                        .count();
    }

    /** Returns the nanoseconds since another worker was last heard of claiming a job of the type; very many when none was. */
    public long idle(String type, long nanos) {
        return others.values().stream()
                .filter(other -> other.types.contains(type))
                .mapToLong(other -> other.idle(nanos))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private void add(WorkerRegistration worker) {
        if (!worker.id().equals(self) && worker.isFrom(site)) {
            others.computeIfAbsent(worker.id(), name -> new Peer()).types = new HashSet<>(worker.types());
        }
    }

    /** Returns how many workers come before this one for a job: 0 when it is the first. */
    public int rank(Job job) {
        return standing(job.id()).rank();
    }

    /** Returns this worker's rank for a job, and the worker that is first. */
    Standing standing(JobId job) {
        long greatest = weight(self, job);
        long mine = greatest;
        int before = 0;
        Peer first = null;
        for (Map.Entry<String, Peer> other : others.entrySet()) {
            long theirs = weight(other.getKey(), job);
            boolean isBefore =
                    theirs > mine || (theirs == mine && other.getKey().compareTo(self) > 0);
            if (isBefore && other.getValue().types.contains(job.type())) {
                before++;
                first = first == null || theirs > greatest ? other.getValue() : first;
                greatest = Math.max(theirs, greatest);
            }
        }
        return new Standing(before, first);
    }

    /** Returns the number that a worker draws for a job. The greatest number is first (rendezvous hashing). */
    private static long weight(String worker, JobId job) {
        long bits = 31L * worker.hashCode() + 0x9E3779B97F4A7C15L * job.hashCode();
        bits = (bits ^ (bits >>> 33)) * 0xFF51AFD7ED558CCDL;
        bits = (bits ^ (bits >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return bits ^ (bits >>> 33);
    }

    /**
     * The rank of a worker for a job: how many workers come before it.
     *
     * @param first the worker that is first, or null when it is this one
     */
    record Standing(int rank, @Nullable Peer first) {}

    /** Another worker. Thread-safe. */
    static final class Peer {
        private volatile Set<String> types = Set.of();
        private volatile @Nullable Long claimedNanos;

        /** Notes that the worker was heard of claiming a job. */
        void claimed(long nanos) {
            claimedNanos = nanos;
        }

        /** Returns the nanoseconds since the worker was last heard of claiming a job; very many when it never was. */
        public long idle(long nanos) {
            Long last = claimedNanos;
            return last == null ? Long.MAX_VALUE : nanos - last;
        }
    }
}

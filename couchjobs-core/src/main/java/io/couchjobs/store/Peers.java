package io.couchjobs.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.job.Job;
import io.couchjobs.job.Site;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The workers that are registered in a database, and who of them is to claim a job first. Thread-safe.
 *
 * <p>All workers rank themselves for a job by the same hash, so without talking to each other they agree whose it is; the
 * others come after it. Registrations that were replicated from other sites do not count. That is advice, which spares conflicts: a worker that died, is busy or not known yet costs a moment,
 * never a job.
 */
final class Peers {
    /** What the document ids of worker registrations begin with. */
    private static final String PREFIX = Owner.REGISTRATION;

    private final String self;
    private final Site site;
    /** The others, and the types each works on. */
    private final Map<String, Set<String>> others = new ConcurrentHashMap<>();

    Peers(String self, Site site) {
        this.self = self;
        this.site = site;
    }

    /** Takes in who is registered; what changes from then on comes by {@link #changed}. */
    void load(CouchDatabase database) {
        database.view(ViewQuery.allDocs()
                        .startKey(PREFIX)
                        .endKey(PREFIX + "\uffff")
                        .includeDocs(true))
                .rows()
                .forEach(row -> add(row.key().asText().substring(PREFIX.length()), row.doc()));
    }

    void forget() {
        others.clear();
    }

    void changed(FeedEvent event) {
        if (!event.docId().startsWith(PREFIX)) {
            return;
        }
        String worker = event.docId().substring(PREFIX.length());
        if (event.deleted()) {
            others.remove(worker);
        } else {
            add(worker, event.document());
        }
    }

    /** How many workers there are for a type, this one included. */
    int count(String type) {
        return 1
                + (int) others.values().stream()
                        .filter(types -> types.contains(type))
                        .count();
    }

    private void add(String worker, @Nullable JsonNode registration) {
        boolean isHere =
                registration != null && site.wrote(registration.path("site").asText());
        if (!worker.equals(self) && registration != null && isHere) {
            Set<String> types = new HashSet<>();
            registration.path("types").forEach(type -> types.add(type.asText()));
            others.put(worker, types);
        }
    }

    /** How many workers come before this one for a job: 0 when it is the first. */
    int rank(Job job) {
        long mine = weight(self, job);
        int before = 0;
        for (Map.Entry<String, Set<String>> other : others.entrySet()) {
            long theirs = weight(other.getKey(), job);
            boolean first = theirs > mine || (theirs == mine && other.getKey().compareTo(self) > 0);
            before += first && other.getValue().contains(job.type()) ? 1 : 0;
        }
        return before;
    }

    /** Rendezvous hashing: each worker draws a number for each job, the greatest wins. */
    private static long weight(String worker, Job job) {
        long bits = 31L * worker.hashCode() + 0x9E3779B97F4A7C15L * job.id().hashCode();
        bits = (bits ^ (bits >>> 33)) * 0xFF51AFD7ED558CCDL;
        bits = (bits ^ (bits >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return bits ^ (bits >>> 33);
    }
}

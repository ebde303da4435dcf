package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.job.Site;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The registrations of workers, and which of these are dead. Thread-safe.
 *
 * <p>A worker that owns nothing gives a sign of life every five minutes; one that owns jobs is the activity monitors'
 * business first. A living worker whose registration is removed all the same, because its process stood still, registers
 * again with its next sign of life.
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

    /** Whether a document, or a tombstone, is a registration, and not somebody else's that is called alike. */
    static boolean isOne(JsonNode document) {
        return document.path("_id").asText().startsWith(DocIds.WORKER)
                && document.path("pid").isIntegralNumber()
                && document.path("types").isArray()
                && document.path("beat").isIntegralNumber()
                && document.path("at").isIntegralNumber();
    }

    /** Whether a worker that starts again under its id goes on by this: turns between groups. */
    static boolean tellsTurn(JsonNode registration, Instant since) {
        return registration.path(Owner.LAST_GROUP).isTextual()
                && registration.path("at").asLong() >= since.toEpochMilli();
    }

    /** The registrations of workers that must be taken to be alive. */
    List<ObjectNode> alive(Instant now) {
        List<ObjectNode> alive = new ArrayList<>(all());
        alive.removeAll(dead(now));
        return alive;
    }

    /** Whether nobody is registered, and nobody owns a job without being registered: claims are made by hand, too. */
    boolean nobodyWorks(Instant now) {
        return alive(now).isEmpty() && index.owned().isEmpty();
    }

    List<ObjectNode> dead(Instant now) {
        List<ObjectNode> silent = all().stream()
                .filter(worker -> site.wrote(worker.path("site").asText()))
                .filter(worker ->
                        worker.path("at").asLong() < now.minus(SILENCE).toEpochMilli())
                .toList();
        if (silent.isEmpty()) {
            return silent;
        }
        Set<String> owners = new HashSet<>();
        index.owned().forEach(owned -> owners.add(owned.worker()));
        return silent.stream().filter(worker -> !owners.contains(idOf(worker))).toList();
    }

    /** Removes a registration unless it moved meanwhile. */
    boolean remove(ObjectNode registration) {
        ObjectNode tombstone = registration.deepCopy().put("_deleted", true);
        return database.put(tombstone) instanceof WriteResult.Stored;
    }

    static String idOf(ObjectNode registration) {
        return registration.path("_id").asText().substring(DocIds.WORKER.length());
    }

    /** The design documents that these workers ask. */
    static Set<String> designsOf(List<ObjectNode> alive) {
        Set<String> designs = new HashSet<>();
        alive.forEach(worker -> worker.path("designs").forEach(name -> designs.add(name.asText())));
        return designs;
    }

    private List<ObjectNode> all() {
        return database
                .view(ViewQuery.allDocs()
                        .startKey(DocIds.WORKER)
                        .endKey(DocIds.WORKER + "\uffff")
                        .includeDocs(true))
                .rows()
                .stream()
                .flatMap(row -> Optional.ofNullable(row.doc()).stream())
                .filter(Registrations::isOne)
                .toList();
    }
}

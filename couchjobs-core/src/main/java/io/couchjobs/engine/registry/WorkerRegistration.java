package io.couchjobs.engine.registry;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.Site;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The document {@code worker:ID}, in which a worker says that it lives. Immutable and thread-safe, but for the document.
 *
 * @param site the site that the worker is of; empty for a database without a name
 * @param designs the design documents that it asks; empty when it does not say
 * @param at its last sign of life, by the server's clock as far as the worker knew
 * @param next how long after {@code at} it meant to give the next sign of life
 * @param lastGroup the group from which it took last, by turns
 * @param document the document, or the tombstone
 */
public record WorkerRegistration(
        String id,
        String site,
        List<String> types,
        Optional<List<String>> designs,
        Instant at,
        Instant started,
        long pid,
        Duration next,
        Optional<String> lastGroup,
        JsonNode document) {
    public static final String SITE = "site";
    public static final String TYPES = "types";
    public static final String DESIGNS = "designs";
    public static final String AT = "at";
    public static final String STARTED = "started";
    public static final String PID = "pid";
    public static final String NEXT = "next";
    public static final String BEAT = "beat";
    public static final String LAST_GROUP = "lastGroup";

    /**
     * Parses a document, or its tombstone. A missing field counts as empty, or as 0.
     *
     * @param docId an id that begins with {@link DocIds#WORKER}
     */
    public static WorkerRegistration of(String docId, JsonNode document) {
        return new WorkerRegistration(
                idOf(docId),
                document.path(SITE).asText(),
                Json.texts(document.path(TYPES)),
                document.has(DESIGNS) ? Optional.of(Json.texts(document.path(DESIGNS))) : Optional.empty(),
                Instant.ofEpochMilli(document.path(AT).asLong()),
                Instant.ofEpochMilli(document.path(STARTED).asLong()),
                document.path(PID).asLong(),
                Duration.ofMillis(document.path(NEXT).asLong()),
                Optional.of(document.path(LAST_GROUP))
                        .filter(JsonNode::isTextual)
                        .map(JsonNode::asText),
                document);
    }

    /** {@return the id of the worker whose registration has that document id} */
    public static String idOf(String docId) {
        return docId.substring(DocIds.WORKER.length());
    }

    public String rev() {
        return document.path("_rev").asText();
    }

    /** {@return whether a worker of that site wrote it; others may have been replicated here} */
    public boolean isFrom(Site here) {
        return here.wrote(site);
    }

    /** {@return whether it is a registration, and not somebody else's document that is called alike} */
    public boolean isGenuine() {
        return document.path(PID).isIntegralNumber()
                && document.path(TYPES).isArray()
                && document.path(BEAT).isIntegralNumber()
                && document.path(AT).isIntegralNumber();
    }
}

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
 * The document {@code worker:ID}, by which a worker gives its signs of life. Immutable and thread-safe, except for the
 * document.
 *
 * @param site the site of the worker; empty for a database without a site name
 * @param designs the design documents whose views the worker reads; empty when the registration does not list them
 * @param at the last sign of life, by the worker's estimate of the server's clock
 * @param next how long after {@code at} the worker planned to give the next sign of life
 * @param lastGroup the group from which the worker last took a job, when groups take turns
 * @param document the document, or its tombstone
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
     * Parses a document or its tombstone. A missing field counts as empty, or as 0.
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

    /** {@return the id of the worker whose registration has the given document id} */
    public static String idOf(String docId) {
        return docId.substring(DocIds.WORKER.length());
    }

    public String rev() {
        return document.path("_rev").asText();
    }

    /** {@return whether a worker of the given site wrote the registration; replication may bring registrations of other sites} */
    public boolean isFrom(Site here) {
        return here.wrote(site);
    }

    /** {@return whether the document is a registration, and not another document with such an id} */
    public boolean isGenuine() {
        return document.path(PID).isIntegralNumber()
                && document.path(TYPES).isArray()
                && document.path(BEAT).isIntegralNumber()
                && document.path(AT).isIntegralNumber();
    }
}

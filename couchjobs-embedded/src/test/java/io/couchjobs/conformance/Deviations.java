package io.couchjobs.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where a server is known to answer other than CouchDB does: server, test, reason. A test listed here still runs and
 * has to fail; it is then reported as aborted with the reason. One that passes fails the build, so that the list shrinks.
 *
 * <p>A test is named {@code Contract.method}, or {@code Contract.method[case]} for one case of a parameterised test.
 */
final class Deviations {
    static final String COUCHDB = "CouchDB";
    static final String EMBEDDED = "couchjobs-embedded";
    static final String POUCHDB_SERVER = "PouchDB Server";

    static final Map<String, Map<String, String>> KNOWN = Map.of(
            COUCHDB, Map.of(),
            EMBEDDED, Map.of(),
            POUCHDB_SERVER, byTest(PouchDeviations.LIST));

    private Deviations() {}

    static Optional<String> reason(String server, String test) {
        return Optional.ofNullable(KNOWN.getOrDefault(server, Map.of()).get(test));
    }

    /** The name of a server, from what it says at its root. */
    static String server(JsonNode welcome) {
        if (welcome.has("express-pouchdb")) {
            return POUCHDB_SERVER;
        }
        return welcome.at("/vendor/name").asText().equals(EMBEDDED) ? EMBEDDED : COUCHDB;
    }

    /** Reads a list of reasons, each followed by its tests, which are indented. */
    private static Map<String, String> byTest(String list) {
        Map<String, String> reasons = new HashMap<>();
        String reason = "";
        for (String line : list.lines().toList()) {
            if (line.startsWith("  ")) {
                reasons.put(line.strip(), reason);
            } else {
                reason = line;
            }
        }
        return Map.copyOf(reasons);
    }
}

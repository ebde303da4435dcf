package io.couchjobs.conformance;

import java.util.Map;

/** Where PouchDB Server 4.2 (2019) is known to differ from CouchDB. */
final class PouchDeviations {
    static final Map<String, String> KNOWN = Map.of();

    private PouchDeviations() {}
}

package io.couchjobs.conformance;

/** Where the embedded server is known to differ from CouchDB: each reason, and below it the tests that show it. */
final class EmbeddedDeviations {
    static final String LIST = """
            """;

    private EmbeddedDeviations() {}
}

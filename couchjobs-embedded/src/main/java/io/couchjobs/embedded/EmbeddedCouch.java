package io.couchjobs.embedded;

/** The embedded server. */
public final class EmbeddedCouch {
    private EmbeddedCouch() {}
}

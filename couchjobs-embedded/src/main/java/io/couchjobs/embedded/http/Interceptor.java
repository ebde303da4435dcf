package io.couchjobs.embedded.http;

/** Decides the fate of each request before it is served. */
@FunctionalInterface
public interface Interceptor {
    /** The fate of a request. Status and reason apply to {@code ANSWER} only. */
    record Fate(Kind kind, int status, String reason) {
        public static final Fate SERVE = new Fate(Kind.SERVE);

        public Fate(Kind kind) {
            this(kind, 0, "");
        }
    }

    /** The kinds of fate. */
    enum Kind {
        SERVE,
        /** The request is not served, but answered with a status. */
        ANSWER,
        /** The request is served, but the connection is closed instead of an answer. */
        LOSE_ANSWER,
        /** The request is not served, and the connection is closed. */
        CUT
    }

    /** {@return the fate of a request}; may block. */
    Fate fate(String method, String path) throws InterruptedException;
}

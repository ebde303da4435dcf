package io.couchjobs.embedded.http;

/** Decides over every request before it is served. */
@FunctionalInterface
public interface Interceptor {
    /** The fate of a request; status and reason count for {@code ANSWER} only. */
    record Fate(Kind kind, int status, String reason) {
        public static final Fate SERVE = new Fate(Kind.SERVE);

        public Fate(Kind kind) {
            this(kind, 0, "");
        }
    }

    /** The kinds of fate. */
    enum Kind {
        SERVE,
        /** Not served, but answered with a status. */
        ANSWER,
        /** Served, but the connection is cut instead of an answer. */
        LOSE_ANSWER,
        /** Not served, the connection is cut. */
        CUT
    }

    /** {@return the fate of a request}; may block. */
    Fate fate(String method, String path) throws InterruptedException;
}

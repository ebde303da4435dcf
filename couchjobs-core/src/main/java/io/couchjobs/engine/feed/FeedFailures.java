package io.couchjobs.engine.feed;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import java.util.Locale;

/** Interprets the failures of a feed. */
final class FeedFailures {
    private FeedFailures() {}

    /**
     * Returns whether the server refused the position. A proxy, or a server that is starting or busy, refuses the
     * connection instead, however often.
     */
    static boolean speakOfPosition(CouchException refusal) {
        String reason = refusal.reason().toLowerCase(Locale.ROOT);
        return refusal.status() == 400 && (reason.contains("since") || reason.contains("sequence"));
    }

    /** Returns whether the server refused the kind of request, so that it would refuse every repetition, too. */
    static boolean speakOfRequest(CouchException refusal) {
        boolean isRefused = refusal.status() == 400 && !(refusal instanceof CouchUnauthorizedException);
        return refusal.status() == 405 || (isRefused && !speakOfPosition(refusal));
    }

    /** Returns whether the database does not exist. */
    static boolean isGone(CouchException answer) {
        return answer.status() == 404 && answer.error().equals("not_found");
    }

    static String inWords(Throwable trouble) {
        return trouble instanceof CouchException answer ? String.valueOf(answer.getMessage()) : trouble.toString();
    }
}

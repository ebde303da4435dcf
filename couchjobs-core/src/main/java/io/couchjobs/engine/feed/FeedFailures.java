package io.couchjobs.engine.feed;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import java.util.Locale;

/** Reads the meaning of a failure of the feed. */
final class FeedFailures {
    private FeedFailures() {}

    /** A proxy, or a server that is starting or busy, refuses the connection and not the position, however often. */
    static boolean speakOfPosition(CouchException refusal) {
        String reason = refusal.reason().toLowerCase(Locale.ROOT);
        return refusal.status() == 400 && (reason.contains("since") || reason.contains("sequence"));
    }

    /** The server cannot do what the request asks for, whenever it is asked. */
    static boolean speakOfRequest(CouchException refusal) {
        boolean isRefused = refusal.status() == 400 && !(refusal instanceof CouchUnauthorizedException);
        return refusal.status() == 405 || (isRefused && !speakOfPosition(refusal));
    }

    /** The database is not there. */
    static boolean isGone(CouchException answer) {
        return answer.status() == 404 && answer.error().equals("not_found");
    }

    static String inWords(Throwable trouble) {
        return trouble instanceof CouchException answer ? String.valueOf(answer.getMessage()) : trouble.toString();
    }
}

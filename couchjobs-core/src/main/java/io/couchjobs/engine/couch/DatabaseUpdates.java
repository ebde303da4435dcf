package io.couchjobs.engine.couch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Databases that were created, changed or deleted.
 *
 * @param position the position to go on from
 */
public record DatabaseUpdates(Set<String> databases, String position) {
    /**
     * Waits until databases were created, changed or deleted ({@code _db_updates}). The server tells that with a delay, and may forget it
     * when one of its nodes dies. The wait takes one of the connections of feeds.
     *
     * @param server the {@code CouchServer}
     * @param since the position that the last call returned; {@code now} at first
     * @param longest how long to wait, less than the response timeout
     * @throws io.couchjobs.couch.config.CouchException the server has no such feed, or does not let this user read it
     */
    public static DatabaseUpdates next(Object server, String since, Duration longest) {
        UrlPath path = UrlPath.ROOT
                .segment("_db_updates")
                .query("feed", "longpoll")
                .query("since", since)
                .query("timeout", String.valueOf(longest.toMillis()));
        return ServerAccess.http(server).await(Call.get(path), answer -> {
            ObjectNode updates = answer.object();
            Set<String> names = new LinkedHashSet<>();
            updates.path("results").forEach(row -> names.add(Json.text(row, "db_name")));
            return new DatabaseUpdates(
                    names, Json.optionalText(updates, "last_seq").orElse(since));
        });
    }
}

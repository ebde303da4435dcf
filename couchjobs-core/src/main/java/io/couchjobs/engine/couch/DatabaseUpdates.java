package io.couchjobs.engine.couch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The databases that were created, changed or deleted.
 *
 * @param position the position to continue from
 */
public record DatabaseUpdates(Set<String> databases, String position) {
    /**
     * Waits until databases are created, changed or deleted ({@code _db_updates}). The server reports updates with a delay,
     * and may lose some when one of its nodes dies. The wait occupies a connection for feeds.
     *
     * @param server the {@code CouchServer}
     * @param since the position that the last call returned; {@code now} for the first call
     * @param longest how long to wait; must be less than the response timeout
     * @throws io.couchjobs.couch.config.CouchException if the server has no such feed, or this user may not read it
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

package io.couchjobs.engine.trigger;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.trigger.Trigger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the databases of a trigger how many changes wait in them. */
final class Lags {
    private static final Logger log = LoggerFactory.getLogger(Lags.class);
    private static final int MOST_ASKED = 50;

    private final Trigger trigger;
    private final Sources sources;

    Lags(Trigger trigger, Sources sources) {
        this.trigger = trigger;
        this.sources = sources;
    }

    /**
     * Returns the number of changes after each position, by database, without databases that cannot be asked.
     *
     * <p>A single database is always asked how many changes its feed still has. If there are several, only databases whose stored
     * position begins with a smaller number than the server's position are asked. These numbers alone do not tell the lag, because
     * they differ from node to node.
     */
    Map<String, Long> of(List<Position> all) {
        Map<String, Long> lags = new HashMap<>();
        try {
            CouchServer server = sources.server(trigger.connection());
            if (all.size() == 1) {
                ask(server, all.get(0), lags);
            } else {
                List<String> names = all.stream().map(Position::database).toList();
                Map<String, DatabaseInfo> infos = Databases.infos(server, names);
                all.forEach(position -> Optional.ofNullable(infos.get(position.database()))
                        .ifPresent(info -> lags.put(position.database(), lag(position, info))));
                all.stream()
                        .filter(position -> lags.getOrDefault(position.database(), 0L) > 0)
                        .limit(MOST_ASKED)
                        .forEach(position -> ask(server, position, lags));
            }
        } catch (CouchException | IllegalArgumentException cannotBeAsked) {
            log.debug("the sources of trigger {} cannot be asked: {}", trigger.name(), cannotBeAsked.getMessage());
        }
        return lags;
    }

    private static void ask(CouchServer server, Position position, Map<String, Long> lags) {
        String name = position.database();
        server.database(name).pending(position.seq()).ifPresent(lag -> lags.put(name, lag));
    }

    private static long lag(Position position, DatabaseInfo info) {
        return Math.max(0, info.changes() - DatabaseInfo.changes(position.seq()));
    }
}

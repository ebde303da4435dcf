package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.DatabaseUpdates;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.trigger.Trigger;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The databases that match a pattern, and the news: which of them may have changed. The news comes from the server's feed of all
 * databases if it has one. Otherwise this class asks for the positions of a hundred databases at a time, in growing pauses. Used by
 * one thread.
 */
final class Databases {
    private static final Logger log = LoggerFactory.getLogger(Databases.class);
    private static final int PAGE = 100;
    /** The reason of a refusal for accounts that are not administrators. Its status is 401, as for a wrong password. */
    private static final String ONLY_FOR_ADMINS = "You are not a server admin.";

    private static final Duration BETWEEN = Duration.ofMillis(200);
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration NO_TIME = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    /** The interval at which all databases are asked, because the feed of all databases may lose news when a node dies. */
    private static final Duration SWEEP = Duration.ofMinutes(5);

    private final CouchServer server;
    private final Trigger trigger;
    private final Predicate<String> follows;
    private final Predicate<String> isFollowed;
    private final Environment environment;
    private final Semaphore listening;
    private final Backoff pauses;
    private final Duration patience;
    private final Map<String, String> positions = new HashMap<>();
    private String since = ChangesRequest.NOW;
    private boolean hasFeed = true;
    private long swept;

    /**
     * @param follows whether the trigger follows a database
     * @param isFollowed whether a database is followed now
     * @param listening the permits for waiting on a connection
     */
    Databases(
            CouchServer server,
            Trigger trigger,
            Predicate<String> follows,
            Predicate<String> isFollowed,
            Environment environment,
            Semaphore listening) {
        this.server = server;
        this.trigger = trigger;
        this.follows = follows;
        this.isFollowed = isFollowed;
        this.environment = environment;
        this.listening = listening;
        this.pauses = new Backoff(environment, SHORTEST, LONGEST);
        Duration half = server.config().responseTimeout().dividedBy(2);
        this.patience = half.compareTo(LONGEST) < 0 ? half : LONGEST;
        this.swept = environment.nanos();
    }

    /** Lists the databases. Their changes from now on are news. */
    Set<String> all() {
        if (hasFeed) {
            since = ask(ChangesRequest.NOW, NO_TIME)
                    .map(DatabaseUpdates::position)
                    .orElse(since);
        }
        Set<String> names = names(server, trigger, follows);
        infos(server, List.copyOf(names)).forEach((name, info) -> positions.put(name, position(info)));
        return names;
    }

    private static String position(DatabaseInfo info) {
        return info.created() + " " + info.updateSeq();
    }

    /** Lists the databases that a trigger follows. */
    static Set<String> names(CouchServer server, Trigger trigger, Predicate<String> follows) {
        String prefix = trigger.source().substring(0, trigger.source().indexOf('*'));
        return server.databases(prefix).stream().filter(follows).collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Waits for news, or for a pause.
     *
     * @return the databases that may have changed, been created or deleted
     */
    Set<String> news() throws InterruptedException {
        boolean listens = hasFeed && listening.tryAcquire();
        Optional<DatabaseUpdates> updates;
        try {
            updates = hasFeed ? ask(since, listens ? patience : NO_TIME) : Optional.empty();
        } finally {
            if (listens) {
                listening.release();
            }
        }
        if (updates.isPresent()) {
            return told(updates.get(), listens);
        }
        environment.pause(pauses.next());
        return found();
    }

    /** Asks the server's feed of all databases; empty when this account has no such feed. */
    private Optional<DatabaseUpdates> ask(String from, Duration wait) {
        try {
            return Optional.of(DatabaseUpdates.next(server, from, wait));
        } catch (CouchException none) {
            if (!isMissing(none)) {
                throw none;
            }
            log.info("trigger {} asks for changes in turns: {}", trigger.name(), none.getMessage());
            hasFeed = false;
            return Optional.empty();
        }
    }

    /** Returns whether the server does not support a request, or refuses it to this account. A temporary refusal does not count. */
    private static boolean isMissing(CouchException refusal) {
        return OlderServers.doNotKnow(refusal)
                || refusal.status() == 403
                || refusal.reason().equals(ONLY_FOR_ADMINS);
    }

    private Set<String> told(DatabaseUpdates updates, boolean hasWaited) throws InterruptedException {
        since = updates.position();
        Set<String> news = updates.databases().stream().filter(follows).collect(Collectors.toSet());
        if (environment.nanos() - swept > SWEEP.toNanos()) {
            swept = environment.nanos();
            news.addAll(found());
        }
        if (!news.isEmpty()) {
            pauses.reset();
        } else if (hasWaited) {
            environment.pause(BETWEEN); // a busy server always has news of other databases
        } else {
            environment.pause(pauses.next());
        }
        return news;
    }

    /**
     * Asks all databases for their positions. A database that exists but is not followed is news, too: it was forgotten if a node
     * did not know it for a moment.
     */
    private Set<String> found() {
        List<String> names = List.copyOf(names(server, trigger, follows));
        Set<String> news = new TreeSet<>(positions.keySet());
        names.forEach(news::remove); // the remaining names are deleted databases
        positions.keySet().removeAll(news);
        infos(server, names).forEach((name, info) -> {
            String position = position(info);
            boolean hasChanged = !position.equals(positions.put(name, position));
            if (hasChanged || !isFollowed.test(name)) {
                news.add(name);
            }
        });
        if (!news.isEmpty()) {
            pauses.reset();
        }
        return news;
    }

    /**
     * Returns the infos of databases, by name. Asks for a hundred per request, or one by one if the server does not support that.
     * Leaves out databases that cannot be described.
     */
    static Map<String, DatabaseInfo> infos(CouchServer server, List<String> names) {
        Map<String, DatabaseInfo> infos = new LinkedHashMap<>();
        try {
            for (int from = 0; from < names.size(); from += PAGE) {
                infos.putAll(server.databaseInfos(names.subList(from, Math.min(from + PAGE, names.size()))));
            }
            return infos;
        } catch (CouchException older) {
            if (!isMissing(older)) {
                throw older;
            }
        }
        for (String name : names) {
            try {
                infos.put(name, server.database(name).info());
            } catch (CouchUnreachableException away) {
                throw away;
            } catch (CouchException cannot) {
                infos.remove(name);
                log.debug("{} cannot be described: {}", name, cannot.getMessage());
            }
        }
        return infos;
    }
}

package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.IndexBeingBuiltException;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.ektorp.CouchDbConnector;
import org.ektorp.UpdateConflictException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The design documents in a database, and the choice of the version to query. Thread-safe.
 *
 * <p>An upgrade stores its design documents under new names. While the index of a new design document is being built,
 * the most up-to-date older version goes on answering. So no query waits until an index is built.
 */
public final class DesignDocuments implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DesignDocuments.class);
    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final int MOST_BUILDS = 4;
    private static final int MOST_TRIES = 8;
    /** The names that couchjobs gives. A user may have a design document of their own, such as {@code jobs-report}. */
    private static final Pattern VERSIONED = Pattern.compile("[a-z]+-[0-9a-f]{8}");

    private final CouchDatabase database;
    private final Environment environment;
    private final CouchDbConnector ektorp;
    private final Map<String, Choice> choices = new ConcurrentHashMap<>();
    /** The builds of indexes, by the versioned name of the design document. */
    private final Map<String, CompletableFuture<Void>> builds = new ConcurrentHashMap<>();

    private final Lane builders;
    private volatile boolean closed;

    /** Manages the design documents of a database. Does no I/O. */
    public DesignDocuments(CouchDatabase database) {
        this.database = database;
        this.environment = ServerAccess.environment(database.server());
        this.ektorp = EktorpTransport.connector(database);
        this.builders = environment.lane("couchjobs-index", MOST_BUILDS);
    }

    /** Stops waiting for indexes; the server goes on building. */
    @Override
    public void close() {
        closed = true;
        builders.close();
    }

    CouchDatabase database() {
        return database;
    }

    /**
     * Stores the design documents of this version where they are missing. Idempotent; several processes may race.
     *
     * @return the names of those that this call stored
     */
    public List<String> push() {
        List<String> pushed = new ArrayList<>();
        for (DesignDocument wanted : DesignDocument.ALL) {
            if (push(wanted)) {
                pushed.add(wanted.versionedName());
            }
        }
        return pushed;
    }

    /**
     * Returns the design documents of couchjobs in the database, of all versions.
     *
     * @return their versioned names, such as {@code jobs-1a2b3c4d}
     */
    public List<String> installed() {
        return Stream.concat(DesignDocument.ALL.stream(), DesignDocument.ON_DEMAND.stream())
                .flatMap(wanted -> versionsOf(wanted).stream())
                .toList();
    }

    /**
     * {@return the progress of the index that is being built; empty when all indexes are up to date, or the progress is
     * unknown}
     */
    public Optional<IndexBeingBuiltException.Progress> building() {
        return DesignDocument.ALL.stream()
                .flatMap(design -> progressOf(design).stream())
                .findFirst();
    }

    private Optional<IndexBeingBuiltException.Progress> progressOf(DesignDocument design) {
        try {
            return database.indexProgress(design.versionedName());
        } catch (CouchException unknown) {
            return Optional.empty();
        }
    }

    public Optional<ObjectNode> read(String versionedName) {
        return database.get("_design/" + versionedName);
    }

    /**
     * Queries a view, in the version of its design document that can answer now. Stores the design document when it is
     * missing.
     *
     * @param query makes the query from the design document's name
     */
    ViewResult ask(DesignDocument document, Function<String, ViewQuery> query) {
        try {
            return database.view(query.apply(choose(document)));
        } catch (CouchNotFoundException gone) {
            choices.remove(document.name());
            return database.view(query.apply(choose(document)));
        }
    }

    /**
     * Queries this version even while its index is being built, because an older version may not have the view. Stores
     * the design document when it is missing.
     */
    ViewResult askThisVersion(DesignDocument document, Function<String, ViewQuery> query) {
        ViewQuery asked = query.apply(document.versionedName());
        try {
            return database.view(asked);
        } catch (CouchNotFoundException missing) {
            push(document);
            return database.view(asked);
        }
    }

    /** Returns the number of changes that an older index lacks. The index that was used last lacks the fewest. */
    private long lacking(String version) {
        try {
            return database.changesToIndex(version);
        } catch (CouchException unknown) {
            return Long.MAX_VALUE;
        }
    }

    /** Returns the number of changes that the server would index before it answers a query; 0 when unknown. */
    long changesToIndex(DesignDocument document) {
        try {
            return database.changesToIndex(document.versionedName());
        } catch (CouchException unknown) {
            return 0;
        }
    }

    private String choose(DesignDocument document) {
        return choices.computeIfAbsent(document.name(), name -> decide(document))
                .name();
    }

    private Choice decide(DesignDocument wanted) {
        List<String> others = new ArrayList<>(versionsOf(wanted));
        boolean there = others.remove(wanted.versionedName());
        if (!there) {
            push(wanted);
        }
        if (others.isEmpty()) {
            return new Choice(wanted.versionedName(), CompletableFuture.completedFuture(null), wanted.versionedName());
        }
        // A query for a view that the older version lacks comes here while the build goes on.
        CompletableFuture<Void> built = builds.compute(
                wanted.versionedName(),
                (name, before) -> before != null && !before.isDone()
                        ? before
                        : CompletableFuture.runAsync(() -> build(wanted), builders));
        String meanwhile = isBuiltSoon(built)
                ? wanted.versionedName()
                : others.stream().min(Comparator.comparingLong(this::lacking)).orElseThrow();
        return new Choice(wanted.versionedName(), built, meanwhile);
    }

    /**
     * Waits until the server has built an index. A large index takes longer than a request may, but the server goes on
     * building. So the query is repeated until it is answered. A refusal may pass, too: an expired login, or a node
     * that does not have the design document yet.
     */
    private void build(DesignDocument wanted) {
        String view = wanted.toDocument().path("views").fieldNames().next();
        Backoff backoff = new Backoff(environment, Duration.ofSeconds(1), Duration.ofMinutes(1));
        boolean told = false;
        while (!closed) {
            try {
                database.view(
                        ViewQuery.of(wanted.versionedName(), view).reduce(false).limit(0));
                return;
            } catch (CouchException notYet) {
                if (!told && notYet.status() >= 400 && notYet.status() < 500) {
                    told = true;
                    log.warn(
                            "{} cannot be built, trying again until it can: {}",
                            wanted.versionedName(),
                            notYet.getMessage());
                }
                pause(backoff);
            }
        }
        throw new CouchJobsException("the queue was closed while an index was built");
    }

    private static void pause(Backoff backoff) {
        if (!backoff.pauseUnlessInterrupted()) {
            throw new CouchJobsException("interrupted while an index was built");
        }
    }

    private boolean isBuiltSoon(CompletableFuture<Void> built) {
        try {
            return environment.await(built, PATIENCE) && !built.isCompletedExceptionally();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Stores a design document when it is missing. Tries again when the database is not found: a node of a cluster may
     * learn of a database a moment after another node has made it.
     */
    private boolean push(DesignDocument wanted) {
        Backoff pauses = new Backoff(environment, Duration.ofMillis(50), Duration.ofSeconds(1));
        while (true) {
            try {
                return pushOnce(wanted);
            } catch (CouchNotFoundException notYet) {
                if (pauses.attempts() >= MOST_TRIES || !pauses.pauseUnlessInterrupted()) {
                    throw notYet;
                }
            }
        }
    }

    private boolean pushOnce(DesignDocument wanted) {
        if (ektorp.contains(wanted.docId())) {
            return false;
        }
        try {
            ektorp.create(wanted.docId(), wanted.toDocument());
            log.info("stored the design document {}", wanted);
            return true;
        } catch (UpdateConflictException storedByAnother) {
            return false;
        }
    }

    private List<String> versionsOf(DesignDocument document) {
        String prefix = "_design/" + document.name() + "-";
        return database.view(ViewQuery.allDocs().startKey(prefix).endKey(prefix + "\ufff0")).rows().stream()
                .map(row -> row.key().asText().substring("_design/".length()))
                .filter(name -> VERSIONED.matcher(name).matches())
                .toList();
    }

    private record Choice(String wanted, CompletableFuture<Void> built, String meanwhile) {
        String name() {
            return built.isDone() && !built.isCompletedExceptionally() ? wanted : meanwhile;
        }
    }
}

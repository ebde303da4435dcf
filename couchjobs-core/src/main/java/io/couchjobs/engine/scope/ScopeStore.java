package io.couchjobs.engine.scope;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.Scopes;
import io.couchjobs.scope.Submission;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads and writes the documents of scopes. Thread-safe. */
final class ScopeStore {
    private static final String RUNNING = "running";
    private static final String CONFIG = "config";
    /**
     * Grows with each configuration given for the type, so the greatest number marks the last configuration without a
     * clock.
     */
    private static final String CONFIGURED = "configured";

    private static final String STARTS = "starts";
    private static final String STOP_TIMEOUT = "stopTimeout";
    private static final String REJECTED = "rejected";
    /** How long changes are remembered: on a cluster, a list may come from a copy that does not have them yet. */
    private static final Duration MEMORY = Duration.ofSeconds(10);

    private final JobStore store;
    private final SharedDocuments documents;
    /** The time at which this process changed a scope, in nanoseconds. */
    private final Map<Scope, Long> changedHere = new ConcurrentHashMap<>();

    ScopeStore(JobStore store) {
        this.store = store;
        this.documents = new SharedDocuments(store.database());
    }

    Optional<Scopes.State> read(Scope scope) {
        return documents.read(scope.docId()).map(document -> stateOf(scope, document));
    }

    /** {@return the states of the given scopes, without those that were never started} */
    Map<Scope, Scopes.State> read(Collection<Scope> scopes) {
        Map<Scope, Scopes.State> states = new LinkedHashMap<>();
        Map<String, ObjectNode> found =
                documents.readEach(scopes.stream().map(Scope::docId).toList());
        scopes.forEach(scope -> {
            ObjectNode document = found.get(scope.docId());
            if (document != null) {
                states.put(scope, stateOf(scope, document));
            }
        });
        return states;
    }

    /** {@return the states of all scopes of a type that were ever started, by partition} */
    List<Scopes.State> readAll(String type) {
        return statesOf(documentsOf(type));
    }

    /** {@return the states of all scopes that were ever started, by type and partition} */
    List<Scopes.State> readAll() {
        return statesOf(documents.readAll(DocIds.SCOPE));
    }

    private Collection<ObjectNode> documentsOf(String type) {
        Map<String, ObjectNode> all = new TreeMap<>();
        documents
                .readAll(Scope.prefix(type))
                .forEach(document -> all.put(document.path("_id").asText(), document));
        changedHere.values().removeIf(nanos -> store.environment().nanos() - nanos > MEMORY.toNanos());
        List<String> own = changedHere.keySet().stream()
                .filter(scope -> scope.type().equals(type))
                .map(Scope::docId)
                .toList();
        if (!own.isEmpty()) {
            all.putAll(documents.readEach(own));
        }
        return all.values();
    }

    private void changed(Scope scope) {
        if (store.isCluster()) {
            changedHere.put(scope, store.environment().nanos());
        }
    }

    private static List<Scopes.State> statesOf(Collection<ObjectNode> documents) {
        return documents.stream()
                .flatMap(document ->
                        Scope.ofDocId(document.path("_id").asText()).stream().map(scope -> stateOf(scope, document)))
                .toList();
    }

    long rejected(Scope scope) {
        long sum = 0;
        JsonNode counts = documents
                .read(scope.docId())
                .map(document -> document.path(REJECTED))
                .orElse(JsonNodeFactory.instance.objectNode());
        for (JsonNode count : counts) {
            sum += count.asLong();
        }
        return sum;
    }

    /**
     * Lets a scope take jobs. Does nothing when the scope is running.
     *
     * @param given the configuration; null for the last configuration of the type
     */
    Scopes.State start(Scope scope, @Nullable ScopeConfig given) {
        ObjectNode stored = documents.change(scope.docId(), document -> {
            if (stateOf(scope, document).isRunning()) {
                return document;
            }
            Configured last = lastOf(scope.type());
            document.put(RUNNING, true)
                    .put(STARTS, document.path(STARTS).asLong() + 1)
                    .put(CONFIGURED, given == null ? last.number : last.number + 1)
                    .set(CONFIG, given == null ? last.config : given.toJson());
            return document;
        });
        changed(scope);
        return stateOf(scope, stored);
    }

    /** Changes the configuration of a scope. A scope that was never started stays unknown. */
    Optional<Scopes.State> reconfigure(Scope scope, UnaryOperator<ScopeConfig> change) {
        ObjectNode stored = documents.change(scope.docId(), document -> {
            Scopes.State present = stateOf(scope, document);
            ScopeConfig wanted = change.apply(present.config());
            if (present.starts() == 0 || wanted.equals(present.config())) {
                return document;
            }
            document.put(CONFIGURED, lastOf(scope.type()).number + 1).set(CONFIG, wanted.toJson());
            return document;
        });
        changed(scope);
        return Optional.of(stateOf(scope, stored)).filter(state -> state.starts() > 0);
    }

    /**
     * Stops a scope, so that it takes no more jobs. A scope that was never started stays unknown. A stopped scope may
     * be given less time.
     */
    void stop(Scope scope, Duration timeout) {
        documents.change(scope.docId(), document -> {
            Scopes.State present = stateOf(scope, document);
            if (!present.isRunning()
                    && (present.starts() == 0 || present.stopTimeout().compareTo(timeout) <= 0)) {
                return document;
            }
            return document.put(RUNNING, false).put(STOP_TIMEOUT, timeout.toMillis());
        });
        changed(scope);
    }

    void addRejected(Scope scope, Map<Submission.Answer, Long> counts) {
        documents.change(scope.docId(), document -> {
            if (!document.has("_rev")) {
                return document;
            }
            ObjectNode rejected =
                    document.path(REJECTED) instanceof ObjectNode present ? present : document.putObject(REJECTED);
            counts.forEach((answer, count) ->
                    rejected.put(answer.name(), rejected.path(answer.name()).asLong() + count));
            return document;
        });
    }

    private Configured lastOf(String type) {
        return documentsOf(type).stream()
                .map(document -> new Configured(
                        document.path(CONFIGURED).asLong(),
                        ScopeConfig.of(document.path(CONFIG)).toJson()))
                .max(Comparator.comparingLong(Configured::number))
                .orElse(new Configured(0, ScopeConfig.DEFAULTS.toJson()));
    }

    private static Scopes.State stateOf(Scope scope, ObjectNode document) {
        return new Scopes.State(
                scope,
                document.path(RUNNING).asBoolean(false),
                ScopeConfig.of(document.path(CONFIG)),
                document.path(STARTS).asLong(),
                Duration.ofMillis(Math.max(0, document.path(STOP_TIMEOUT).asLong())));
    }

    private record Configured(long number, ObjectNode config) {}
}

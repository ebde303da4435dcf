package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.History;
import io.couchjobs.worker.RunReport;
import java.time.Instant;

/** The numbers of a type in a period. Not thread-safe. */
final class TypeSums {
    private static final String RUNS = "runs";
    private static final String FAILURES = "failures";
    private static final String WAITING = "waiting";
    private static final String TOOK = "took";

    private final TookHistogram took;
    private long runs;
    private long failures;
    private long waiting;

    TypeSums() {
        this(new TookHistogram());
    }

    private TypeSums(TookHistogram took) {
        this.took = took;
    }

    static TypeSums of(JsonNode json) {
        TypeSums read = new TypeSums(TookHistogram.of(json.path(TOOK)));
        read.runs = json.path(RUNS).asLong();
        read.failures = json.path(FAILURES).asLong();
        read.waiting = json.path(WAITING).asLong();
        return read;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (runs > 0) {
            json.put(RUNS, runs).put(FAILURES, failures).set(TOOK, took.toJson());
        }
        if (waiting > 0) {
            json.put(WAITING, waiting);
        }
        return json;
    }

    /** Returns whether a run with this outcome counts for its type. A run that gave its job back, or was halted, does not. */
    static boolean counts(RunReport.Outcome outcome) {
        return outcome != RunReport.Outcome.RELEASED && outcome != RunReport.Outcome.HALTED;
    }

    void add(RunReport run) {
        runs++;
        took.add(run.took());
        if (run.outcome() == RunReport.Outcome.RETRIED || run.outcome() == RunReport.Outcome.FAILED) {
            failures++;
        }
    }

    /** Adds the numbers of another period. */
    void add(TypeSums other) {
        addRuns(other);
        waiting(other.waiting);
    }

    /** Adds the numbers of another type at the same time. */
    void addBeside(TypeSums other) {
        addRuns(other);
        waiting += other.waiting;
    }

    private void addRuns(TypeSums other) {
        runs += other.runs;
        failures += other.failures;
        took.add(other.took);
    }

    void waiting(long jobs) {
        waiting = Math.max(waiting, jobs);
    }

    History.Point point(Instant at) {
        return new History.Point(
                at,
                runs,
                failures,
                waiting,
                took.quantile(0.5).orElse(null),
                took.quantile(0.95).orElse(null));
    }
}

package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.bench.Drain.Drained;
import io.couchjobs.cli.bench.Rounds.Part;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The rates that are measured in turn with raw bulk writes. Not thread-safe. */
final class Rates {
    private final Enqueue enqueue;
    private final Drain drain;
    private final Rounds rounds;
    private final Plan plan;
    private final Raw raw;
    private final RawRuns rawRuns;
    private Drains byOne = new Drains();
    private Drains byMany = new Drains();
    private Samples ofRawRuns = new Samples();
    private Samples serverOfRawRuns = new Samples();
    private double one;

    Rates(Enqueue enqueue, Drain drain, Raw raw, RawRuns rawRuns, Rounds rounds, Plan plan) {
        this.enqueue = enqueue;
        this.drain = drain;
        this.raw = raw;
        this.rawRuns = rawRuns;
        this.rounds = rounds;
        this.plan = plan;
    }

    /** Returns the rates among the wanted figures. */
    List<Part> parts() {
        List<Part> parts = new ArrayList<>();
        parts.add(new Part(Figure.ENQUEUE_BULK, enqueue::bulk, raw -> raw));
        parts.add(new Part(Figure.ENQUEUE_THREADS, enqueue::threads, raw -> raw));
        parts.add(new Part(Figure.ENQUEUE_ASYNC, enqueue::async, raw -> raw));
        parts.add(new Part(Figure.DRAIN, this::byOne, raw -> raw / 2));
        parts.add(new Part(Figure.DRAIN_PROCESSES, this::byMany, raw -> one));
        parts.removeIf(part -> !plan.has(part.figure()));
        return parts;
    }

    /** Forgets the samples so far, which belong to the warm-up. */
    void forget() {
        byOne = new Drains();
        byMany = new Drains();
        ofRawRuns = new Samples();
        serverOfRawRuns = new Samples();
    }

    ObjectNode json(Figure figure) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        return switch (figure) {
            case DRAIN -> besideRawRuns(byOne.json(rounds.json(figure, json.put("processes", 1))));
            case DRAIN_PROCESSES -> byMany.json(rounds.json(figure, json.put("processes", plan.processes())));
            default -> rounds.json(figure, json);
        };
    }

    private ObjectNode besideRawRuns(ObjectNode json) {
        json.put("of_raw_runs", Numbers.rounded(ofRawRuns.median()));
        return serverOfRawRuns.isEmpty()
                ? json
                : json.put("server_cpu_of_raw_runs", Numbers.rounded(serverOfRawRuns.median()));
    }

    private double byOne() throws IOException, InterruptedException {
        Drained drained = drain.emptyQueue(1);
        RawRuns.Result runs = rawRuns.run(plan.jobs(), raw.batch());
        byOne.add(drained);
        ofRawRuns.add(drained.perSecond() / runs.perSecond());
        if (drained.serverMillis().isPresent() && runs.serverMillis().isPresent()) {
            serverOfRawRuns.add(
                    drained.serverMillis().getAsDouble() / runs.serverMillis().getAsDouble());
        }
        one = drained.perSecond();
        return one;
    }

    private double byMany() throws IOException, InterruptedException {
        if (!plan.has(Figure.DRAIN)) {
            one = drain.emptyQueue(1).perSecond();
        }
        Drained drained = drain.emptyQueue(plan.processes());
        byMany.add(drained);
        return drained.perSecond();
    }
}

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
    private Samples wastedByOne = new Samples();
    private Samples wastedByMany = new Samples();
    private double one;

    Rates(Enqueue enqueue, Drain drain, Rounds rounds, Plan plan) {
        this.enqueue = enqueue;
        this.drain = drain;
        this.rounds = rounds;
        this.plan = plan;
    }

    /** Which of the figures wanted are rates of this kind. */
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

    /** Forgets the counts so far: they were for warming up. */
    void forget() {
        wastedByOne = new Samples();
        wastedByMany = new Samples();
    }

    ObjectNode json(Figure figure) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        return switch (figure) {
            case DRAIN -> drained(figure, json.put("processes", 1), wastedByOne);
            case DRAIN_PROCESSES -> drained(figure, json.put("processes", plan.processes()), wastedByMany);
            default -> rounds.json(figure, json);
        };
    }

    private ObjectNode drained(Figure figure, ObjectNode json, Samples wasted) {
        return rounds.json(figure, json).put("wasted_claims", Numbers.rounded(wasted.median()));
    }

    private double byOne() throws IOException, InterruptedException {
        Drained drained = drain.emptyQueue(1);
        wastedByOne.add(drained.wasted());
        one = drained.perSecond();
        return one;
    }

    private double byMany() throws IOException, InterruptedException {
        if (!plan.has(Figure.DRAIN)) {
            byOne();
        }
        Drained drained = drain.emptyQueue(plan.processes());
        wastedByMany.add(drained.wasted());
        return drained.perSecond();
    }
}

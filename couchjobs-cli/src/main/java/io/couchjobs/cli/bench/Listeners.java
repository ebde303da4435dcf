package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.bench.Drain.Drained;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Measures one process that runs jobs while others only listen. The listeners are idle workers for another type, each with a
 * client of its own, and several in one process. The costs are per job.
 */
final class Listeners {
    private static final String OTHER_TYPE = Payload.TYPE + "-other";
    private static final int PROCESSES = 4;

    private final OwnDatabases databases;
    private final Place place;
    private final Drain drain;
    private final Plan plan;
    private final Steps steps;
    private final List<Integer> listening;

    Listeners(OwnDatabases databases, Place place, Drain drain, Plan plan, Steps steps) {
        this.databases = databases;
        this.place = place;
        this.drain = drain;
        this.plan = plan;
        this.steps = steps;
        this.listening = Stream.of(1, plan.listeners() / 10, plan.listeners() / 2, plan.listeners())
                .map(clients -> Math.max(1, clients))
                .distinct()
                .toList();
    }

    ObjectNode measure() throws IOException, InterruptedException {
        steps.begin("fleet: warming up");
        drain.emptyQueue(1);
        List<Samples> rates = samples();
        List<Samples> server = samples();
        List<Samples> listeners = samples();
        for (int round = 1; round <= plan.rounds(); round++) {
            for (int i = 0; i < listening.size(); i++) {
                steps.begin("round " + round + " of " + plan.rounds() + ": " + listening.get(i) + " listen");
                Measured measured = beside(listening.get(i) - 1);
                rates.get(i).add(measured.drained.perSecond());
                measured.drained.serverMillis().ifPresent(server.get(i)::add);
                listeners.get(i).add(measured.listenerMillis);
            }
        }
        return json(rates, server, listeners);
    }

    /**
     * The result of one measurement.
     *
     * @param drained the result of the process that ran the jobs
     * @param listenerMillis processor time of all listeners together, per job
     */
    private record Measured(Drained drained, double listenerMillis) {}

    private Measured beside(int idle) throws IOException, InterruptedException {
        JobQueue queue = databases.queue();
        try (Crew crew = new Crew(place, List.of())) {
            drain.fill(queue, plan.jobs());
            if (idle == 0) {
                return new Measured(drain.run(queue, 1, plan.jobs()), 0);
            }
            int processes = Math.min(PROCESSES, idle);
            int each = idle / processes;
            Crew.Shift shift = crew.start(queue.database().name(), OTHER_TYPE, processes, each, 1, false);
            Thread.sleep(plan.settling().toMillis());
            WorkReport before = shift.report();
            Drained drained = drain.run(queue, 1, plan.jobs());
            double millis = shift.report().minus(before).cpuMillis();
            shift.stop();
            return new Measured(drained, millis / plan.jobs());
        } finally {
            databases.drop(queue);
        }
    }

    private List<Samples> samples() {
        List<Samples> all = new ArrayList<>();
        listening.forEach(any -> all.add(new Samples()));
        return all;
    }

    private ObjectNode json(List<Samples> rates, List<Samples> server, List<Samples> listeners) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode entries = json.putArray("listeners");
        for (int i = 0; i < listening.size(); i++) {
            ObjectNode entry = entries.addObject()
                    .put("listening", listening.get(i))
                    .put("per_s", Numbers.rounded(rates.get(i).median()))
                    .put("listener_cpu_ms", Numbers.rounded(listeners.get(i).median()));
            if (!server.get(i).isEmpty()) {
                entry.put("server_cpu_ms", Numbers.rounded(server.get(i).median()));
            }
        }
        Samples one = server.get(0);
        Samples most = server.get(server.size() - 1);
        json.put(
                "per_s_of_one",
                Numbers.rounded(
                        rates.get(rates.size() - 1).median() / rates.get(0).median()));
        return one.isEmpty() ? json : json.put("server_cpu_of_one", Numbers.rounded(most.median() / one.median()));
    }
}

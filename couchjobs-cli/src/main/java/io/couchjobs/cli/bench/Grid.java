package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.bench.Drain.Drained;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures draining by several processes, each with few places or with many. Each cell is compared with one process of the same
 * number of places in the same round.
 */
record Grid(Drain drain, Plan plan, Steps steps) {
    private static final List<Integer> PLACES = List.of(1, 4, 16, 64, 1_000);
    /**
     * Limits the jobs of a cell. One process with one place runs one job after the other, which would take minutes with all jobs.
     */
    private static final int JOBS_PER_PLACE = 100;

    ObjectNode measure() throws IOException, InterruptedException {
        steps.begin("processes: warming up");
        drain.emptyQueue(plan.processes(), plan.concurrency(), plan.jobs());
        Map<Cell, Samples> ratios = new LinkedHashMap<>();
        Map<Cell, Samples> rates = new LinkedHashMap<>();
        Map<Cell, Drains> drains = new LinkedHashMap<>();
        for (int round = 1; round <= plan.rounds(); round++) {
            for (int places : PLACES) {
                double one = 0;
                for (int processes = 1; processes <= plan.processes(); processes *= 2) {
                    Cell cell = new Cell(processes, places);
                    steps.begin("round " + round + " of " + plan.rounds() + ": " + processes + " processes with "
                            + places + " places");
                    Drained drained = drain.emptyQueue(
                            processes, places, Math.min(plan.jobs(), JOBS_PER_PLACE * places * plan.processes()));
                    one = processes == 1 ? drained.perSecond() : one;
                    rates.computeIfAbsent(cell, any -> new Samples()).add(drained.perSecond());
                    ratios.computeIfAbsent(cell, any -> new Samples()).add(drained.perSecond() / one);
                    drains.computeIfAbsent(cell, any -> new Drains()).add(drained);
                }
            }
        }
        return json(rates, ratios, drains);
    }

    private static ObjectNode json(Map<Cell, Samples> rates, Map<Cell, Samples> ratios, Map<Cell, Drains> drains) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode cells = json.putArray("cells");
        Samples ofOne = new Samples();
        Samples wasted = new Samples();
        rates.forEach((cell, samples) -> {
            Samples all = ratios.getOrDefault(cell, new Samples());
            ObjectNode entry = cells.addObject()
                    .put("processes", cell.processes)
                    .put("places", cell.places)
                    .put("per_s", Numbers.rounded(samples.median()))
                    .put("of_one", Numbers.rounded(all.median()));
            drains.getOrDefault(cell, new Drains()).json(entry);
            ofOne.add(all.median());
            wasted.add(entry.path("wasted_claims").asDouble());
        });
        return json.put("worst_of_one", Numbers.rounded(ofOne.least()))
                .put("worst_wasted_claims", Numbers.rounded(wasted.greatest()));
    }

    private record Cell(int processes, int places) {}
}

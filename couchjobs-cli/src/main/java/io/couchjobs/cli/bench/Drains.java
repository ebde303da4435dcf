package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.bench.Drain.Drained;

/** The results of the drains of some rounds. Not thread-safe. */
final class Drains {
    private final Samples wasted = new Samples();
    private final Samples client = new Samples();
    private final Samples server = new Samples();

    void add(Drained drained) {
        wasted.add(drained.wasted());
        client.add(drained.clientMillis());
        drained.serverMillis().ifPresent(server::add);
    }

    /** Adds the medians to a figure: wasted claims, and milliseconds of processor time, per job. */
    ObjectNode json(ObjectNode json) {
        json.put("wasted_claims", Numbers.rounded(wasted.median()))
                .put("client_cpu_ms", Numbers.rounded(client.median()));
        return server.isEmpty() ? json : json.put("server_cpu_ms", Numbers.rounded(server.median()));
    }
}

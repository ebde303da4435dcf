package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Revision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Several claimers write over the same revision of one document, each through a node. */
final class Race {
    static final String ID = "job";

    private final VirtualTime time;
    private final Cluster cluster;

    Race(VirtualTime time, Cluster cluster) {
        this.time = time;
        this.cluster = cluster;
    }

    /**
     * How a race ended.
     *
     * @param statuses one per claimer, in their order
     * @param revs the revision of each claimer who got one
     */
    record Ending(List<Integer> statuses, Map<Integer, Revision> revs) {
        /** {@return the statuses, sorted} */
        List<Integer> kind() {
            return statuses.stream().sorted().toList();
        }
    }

    Revision create() {
        List<WriteAnswer> answers = new ArrayList<>();
        cluster.node(0).write(List.of(edit(List.of(), "waiting")), answers::add);
        time.until(() -> !answers.isEmpty());
        time.pass(Duration.ofSeconds(1));
        return Optional.ofNullable(answers.get(0).rows().get(0).rev()).orElseThrow();
    }

    /** Claimer i starts at starts[i] microseconds, through node nodes[i]; ends when all have their answers. */
    Ending run(int[] nodes, long[] starts) {
        Revision base = create();
        Map<Integer, WriteRow> rows = new HashMap<>();
        for (int i = 0; i < nodes.length; i++) {
            int claimer = i;
            time.after(starts[i], () -> cluster.node(nodes[claimer])
                    .write(
                            List.of(edit(List.of(base), "claimed by " + claimer)),
                            answer -> rows.put(claimer, answer.rows().get(0))));
        }
        time.until(() -> rows.size() == nodes.length);
        return ending(rows);
    }

    private static Ending ending(Map<Integer, WriteRow> rows) {
        Map<Integer, Revision> revs = new HashMap<>();
        rows.forEach((claimer, row) -> Optional.ofNullable(row.rev()).ifPresent(rev -> revs.put(claimer, rev)));
        return new Ending(
                IntStream.range(0, rows.size())
                        .map(i -> rows.get(i).status())
                        .boxed()
                        .toList(),
                revs);
    }

    private static Edit edit(List<Revision> base, String what) {
        return new Edit(ID, base, false, Json.object().put("what", what));
    }
}

package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StageTest {
    private static final Wire.Trouble LOSSY = new Wire.Trouble(0.1, 0.1, 500);

    /** Claimers that go on until the document counts to thirty, written as if they blocked. */
    private static List<String> play(long seed) {
        VirtualTime time = new VirtualTime();
        List<String> journal = new ArrayList<>();
        try (Cluster cluster =
                new Cluster(time, new RandomDelays(seed, RandomDelays.Means.COUCHDB_3_5), Cluster.Settings.DEFAULTS)) {
            Stage stage = new Stage(time);
            Wire wire = new Wire(time, cluster, LOSSY, seed);
            new Client(time, cluster).written(201, 0, null, "0");
            for (int i = 0; i < 3; i++) {
                int node = i;
                stage.play("counter " + i, () -> count(stage, wire, cluster, node, journal));
            }
            time.pass(Duration.ofMinutes(5));
        }
        return journal;
    }

    private static void count(Stage stage, Wire wire, Cluster cluster, int node, List<String> journal) {
        int seen = 0;
        while (seen < 30) {
            stage.sleep(1_000);
            var known = cluster.node(node).own(Client.ID).orElseThrow();
            seen = Integer.parseInt(known.body().path("what").asText());
            String next = Integer.toString(seen + 1);
            Optional<WriteRow> row = stage.ask(answer -> wire.<WriteAnswer>ask(
                    node,
                    (at, then) -> at.write(List.of(Client.edit(known.rev(), next)), then),
                    written -> answer.accept(Optional.of(written.rows().get(0))),
                    (IOException e) -> answer.accept(Optional.empty())));
            journal.add(node + " " + next + " " + row.map(WriteRow::status).orElse(0));
        }
    }

    @Test
    void blocking_code_runs_the_same_way_twice() {
        List<String> journal = play(1);
        assertThat(journal).anyMatch(line -> line.endsWith(" 0")).anyMatch(line -> line.endsWith(" 201"));
        assertThat(play(1)).isEqualTo(journal);
        assertThat(play(2)).isNotEqualTo(journal);
    }

    @Test
    void what_an_actor_throws_ends_the_run() {
        VirtualTime time = new VirtualTime();
        new Stage(time).play("unlucky", () -> {
            throw new IllegalArgumentException("on purpose");
        });
        assertThatThrownBy(() -> time.pass(Duration.ofSeconds(1))).hasRootCauseMessage("on purpose");
    }

    @Test
    void only_actors_can_wait() {
        Stage stage = new Stage(new VirtualTime());
        assertThatThrownBy(() -> stage.sleep(1)).hasMessage("Only actors can wait.");
    }
}

package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
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
    void an_exception_of_an_actor_ends_the_run() {
        VirtualTime time = new VirtualTime();
        new Stage(time).play("unlucky", () -> {
            throw new IllegalArgumentException("on purpose");
        });
        assertThatThrownBy(() -> time.pass(Duration.ofSeconds(1))).hasRootCauseMessage("on purpose");
    }

    @Test
    void an_actor_that_is_killed_asks_for_nothing_more() {
        VirtualTime time = new VirtualTime();
        Stage stage = new Stage(time);
        List<String> journal = new ArrayList<>();
        Stage.Actor victim = stage.play("victim", () -> {
            stage.sleep(1_000_000);
            journal.add("woke");
        });
        time.pass(Duration.ofMillis(500));
        victim.kill();
        time.pass(Duration.ofSeconds(1));
        assertThat(victim.lives()).isFalse();
        assertThat(journal).isEmpty();
    }

    @Test
    void a_frozen_actor_goes_on_when_it_is_thawed_and_hears_then_what_came_meanwhile() {
        VirtualTime time = new VirtualTime();
        Stage stage = new Stage(time);
        List<Long> woke = new ArrayList<>();
        Stage.Actor frozen = stage.play("frozen", () -> {
            stage.sleep(1_000_000);
            woke.add(time.now());
        });
        time.pass(Duration.ofMillis(500));
        frozen.freeze(Duration.ofSeconds(10));
        time.pass(Duration.ofSeconds(20));
        assertThat(woke).containsExactly(10_500_000L);
    }

    @Test
    void an_actor_waits_no_longer_than_it_has_patience() {
        VirtualTime time = new VirtualTime();
        Stage stage = new Stage(time);
        List<String> journal = new ArrayList<>();
        stage.play("impatient", () -> {
            try {
                stage.within(Duration.ofSeconds(3), () -> stage.<String>ask(never -> {}));
            } catch (UncheckedIOException e) {
                journal.add(time.now() + " " + e.getCause().getMessage());
            }
        });
        time.pass(Duration.ofSeconds(20));
        assertThat(journal).containsExactly("3000000 No answer came in time.");
    }

    @Test
    void all_actors_leave_when_the_stage_is_closed() {
        VirtualTime time = new VirtualTime();
        Stage stage = new Stage(time);
        Stage.Actor waiting = stage.play("waiting", () -> stage.<String>ask(never -> {}));
        time.pass(Duration.ofSeconds(1));
        stage.close();
        assertThat(waiting.lives()).isFalse();
    }

    @Test
    void only_actors_can_wait() {
        Stage stage = new Stage(new VirtualTime());
        assertThatThrownBy(() -> stage.sleep(1)).hasMessage("Only actors can wait.");
    }
}

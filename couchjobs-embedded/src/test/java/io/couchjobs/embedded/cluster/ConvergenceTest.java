package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.tree.Revision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random writes and random trouble; a failing case is named by its seed. */
class ConvergenceTest {
    static LongStream seeds() {
        return new Random(20_251_121).longs(100);
    }

    /** One random life of a cluster: what was answered, and what each copy has in the end. */
    private static final class Life implements AutoCloseable {
        private final VirtualTime time = new VirtualTime();
        private final Random random;
        private final Cluster cluster;
        private final Client client;
        private final Set<Revision> known = new HashSet<>();
        private final Map<Revision, Integer> confirmed = new HashMap<>();
        private final List<String> journal = new ArrayList<>();

        Life(long seed) {
            this.random = new Random(seed);
            this.cluster = new Cluster(
                    time,
                    new RandomDelays(random.nextLong(), RandomDelays.Means.COUCHDB_3_5, seed % 2 == 0 ? 0 : 300_000),
                    Cluster.Settings.DEFAULTS);
            this.client = new Client(time, cluster);
        }

        void run() {
            known.add(client.written(201, 0, null, "born"));
            for (int i = 0; i < 60; i++) {
                step("write " + i);
                time.pass(Duration.ofMillis(random.nextInt(5) == 0 ? random.nextInt(90_000) : random.nextInt(5)));
            }
            for (int node = 0; node < 3; node++) {
                cluster.start(node);
                cluster.thaw(node);
                cluster.heal(node);
            }
            time.pass(Duration.ofMinutes(5));
        }

        private void step(String what) {
            int node = random.nextInt(3);
            switch (random.nextInt(12)) {
                case 0 -> cluster.stop(node);
                case 1 -> cluster.start(node);
                case 2 -> cluster.freeze(node);
                case 3 -> cluster.thaw(node);
                case 4 -> cluster.isolate(node);
                case 5 -> cluster.heal(node);
                case 6 -> cluster.node(node).read(Client.ID, doc -> journal.add(time.now() + " read"));
                default -> write(node, what);
            }
        }

        private void write(int node, String what) {
            List<Revision> bases = known.stream().sorted().toList();
            Revision base = bases.get(bases.size() - 1 - random.nextInt(Math.min(2, bases.size())));
            client.send(node, base, what, row -> {
                journal.add(time.now() + " " + row.status() + " " + row.rev());
                if (row.status() == 201) {
                    confirmed.merge(base, 1, Integer::sum);
                }
                if (row.rev() != null) {
                    known.add(row.rev());
                }
            });
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void copies_become_equal_when_all_trouble_is_over_and_keep_all_that_was_answered(long seed) {
        try (Life life = new Life(seed)) {
            life.run();
            assertThat(life.client.leaves(1)).isEqualTo(life.client.leaves(0));
            assertThat(life.client.leaves(2)).isEqualTo(life.client.leaves(0));
            assertThat(life.known).allSatisfy(rev -> assertThat(life.cluster
                            .node(0)
                            .own(Client.ID)
                            .orElseThrow()
                            .tree()
                            .find(rev))
                    .isPresent());
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void no_revision_is_written_over_with_a_201_twice(long seed) {
        try (Life life = new Life(seed)) {
            life.run();
            assertThat(life.confirmed)
                    .allSatisfy((base, times) -> assertThat(times).isEqualTo(1));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void the_same_seed_gives_the_same_life(long seed) {
        try (Life one = new Life(seed);
                Life same = new Life(seed)) {
            one.run();
            same.run();
            assertThat(same.journal).isEqualTo(one.journal).isNotEmpty();
            assertThat(same.client.leaves(0)).isEqualTo(one.client.leaves(0));
        }
    }
}

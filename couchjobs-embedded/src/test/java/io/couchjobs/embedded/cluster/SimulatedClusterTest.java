package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.SimulatedCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The simulated cluster over HTTP. How often races split depends on the machine here, so only what never happens counts. */
class SimulatedClusterTest {
    private final SimulatedCluster cluster = SimulatedCluster.start(3, 1);
    private final HttpRace race = new HttpRace("simulated cluster over HTTP", cluster.urls(), 100);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void racing_claimers_never_see_two_201s() throws Exception {
        Proportions three = race.run("three claimers, three nodes", 0, 1, 2);
        assertThat(three.percent(201, 0) + three.percent(201, 1)).isEqualTo(100);
    }

    @Test
    void with_one_node_left_a_winner_gets_202() throws Exception {
        cluster.stop(1);
        cluster.stop(2);
        Proportions alone = race.run("two claimers, one node left", 0, 0);
        assertThat(alone.percent(202, 1)).isEqualTo(100);
        assertThat(alone.percent(409, 1)).isEqualTo(100);
    }
}

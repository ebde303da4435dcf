package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Races on a real cluster, to compare the figures with those of the simulated one: {@code COUCHJOBS_CLUSTER_URLS} holds
 * the addresses of its nodes, with credentials, separated by commas or spaces.
 */
@EnabledIfEnvironmentVariable(named = "COUCHJOBS_CLUSTER_URLS", matches = ".+")
class RealClusterRaceTest {
    private static HttpRace race() {
        List<URI> nodes = Stream.of(System.getenv("COUCHJOBS_CLUSTER_URLS").split("[\\s,]+"))
                .map(URI::create)
                .toList();
        return new HttpRace("real cluster", nodes, 500);
    }

    @Test
    void two_claimers_at_two_nodes_get_201_and_202_in_many_races() throws Exception {
        assertThat(race().run("two claimers, two nodes", 0, 1).doubled()).isPositive();
    }

    @Test
    void two_claimers_at_one_node_never_see_two_201s() throws Exception {
        assertThat(race().run("two claimers, one node", 0, 0).percent(201, 2)).isZero();
    }

    @Test
    void four_claimers_never_see_two_201s() throws Exception {
        Proportions four = race().run("four claimers, three nodes", 0, 1, 2, 1);
        assertThat(four.percent(201, 0) + four.percent(201, 1)).isEqualTo(100);
    }
}

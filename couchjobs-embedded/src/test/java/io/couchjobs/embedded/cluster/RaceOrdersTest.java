package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.Revision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** All orders in which the writes of racing claimers, each at its own node, can arrive at the three copies. */
class RaceOrdersTest {

    private static List<List<Integer>> permutations(int count) {
        if (count == 0) {
            return List.of(List.of());
        }
        List<List<Integer>> longer = new ArrayList<>();
        for (List<Integer> shorter : permutations(count - 1)) {
            for (int at = 0; at < count; at++) {
                List<Integer> one = new ArrayList<>(shorter);
                one.add(at, count - 1);
                longer.add(one);
            }
        }
        return longer;
    }

    private static List<List<List<Integer>>> allOrders(int claimers) {
        List<List<List<Integer>>> all = new ArrayList<>();
        List<List<Integer>> at = permutations(claimers);
        for (List<Integer> first : at) {
            for (List<Integer> second : at) {
                at.forEach(third -> all.add(List.of(first, second, third)));
            }
        }
        return all;
    }

    /** Runs a race per order, hands each one's ending to the check, and counts the kinds of endings. */
    private static Map<List<Integer>, Integer> race(int claimers, Check check) {
        Map<List<Integer>, Integer> kinds = new HashMap<>();
        for (List<List<Integer>> orders : allOrders(claimers)) {
            VirtualTime time = new VirtualTime();
            try (Cluster cluster = new Cluster(time, new RankedDelays(padded(orders)), Cluster.Settings.DEFAULTS)) {
                int[] nodes = IntStream.range(0, claimers).toArray();
                Race.Ending ending = new Race(time, cluster).run(nodes, new long[claimers]);
                kinds.merge(ending.kind(), 1, Integer::sum);
                check.check(orders, time, cluster, ending);
            }
        }
        return kinds;
    }

    /** Answers travel between all nodes, also to and from those where nobody claims. */
    private static List<List<Integer>> padded(List<List<Integer>> orders) {
        return orders.stream()
                .map(order -> {
                    List<Integer> all = new ArrayList<>(order);
                    IntStream.range(0, 3).filter(node -> !all.contains(node)).forEach(all::add);
                    return List.copyOf(all);
                })
                .toList();
    }

    @FunctionalInterface
    private interface Check {
        void check(List<List<Integer>> orders, VirtualTime time, Cluster cluster, Race.Ending ending);
    }

    private static final Check NOTHING = (orders, time, cluster, ending) -> {};

    @Test
    void two_claimers_get_201_and_409_if_all_copies_agree_and_else_201_and_202() {
        assertThat(race(2, NOTHING)).isEqualTo(Map.of(List.of(201, 409), 2, List.of(201, 202), 6));
    }

    @Test
    void three_claimers_get_no_201_when_each_is_first_at_one_copy() {
        assertThat(race(3, NOTHING))
                .isEqualTo(Map.of(
                        List.of(201, 409, 409), 3 * 8,
                        List.of(201, 202, 409), 18 * 8,
                        List.of(202, 202, 202), 6 * 8));
    }

    @Test
    void the_claimer_that_is_first_at_two_copies_gets_the_201() {
        race(3, (orders, time, cluster, ending) -> IntStream.range(0, 3).forEach(claimer -> {
            long first =
                    orders.stream().filter(order -> order.get(0) == claimer).count();
            assertThat(ending.statuses().get(claimer))
                    .as("%s", orders)
                    .isEqualTo(first >= 2 ? 201 : first == 1 ? 202 : 409);
        }));
    }

    @Test
    void the_copies_become_equal_and_keep_exactly_the_leaves_that_were_not_refused() {
        race(3, (orders, time, cluster, ending) -> {
            time.pass(Duration.ofSeconds(30));
            Set<Doc> winners = new HashSet<>();
            for (int node = 0; node < 3; node++) {
                Doc own = cluster.node(node).own(Race.ID).orElseThrow();
                assertThat(own.tree().leaves())
                        .extracting(Node::rev)
                        .as("%s", orders)
                        .containsExactlyInAnyOrderElementsOf(ending.revs().values());
                winners.add(own);
            }
            assertThat(winners).extracting(Doc::rev).containsOnly(greatest(ending));
        });
    }

    private static Revision greatest(Race.Ending ending) {
        return ending.revs().values().stream().max(Revision::compareTo).orElseThrow();
    }
}

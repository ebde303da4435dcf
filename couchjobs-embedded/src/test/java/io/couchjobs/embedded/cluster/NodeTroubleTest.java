package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.tree.Revision;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes that are killed, frozen or cut off, and what their copies have afterwards. */
class NodeTroubleTest {
    private static final Duration A_WHILE = Duration.ofSeconds(30);

    private final VirtualTime time = new VirtualTime();
    private final Cluster cluster = new Cluster(time, RankedDelays.nearestFirst(), Cluster.Settings.DEFAULTS);
    private final Client client = new Client(time, cluster);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void assertThatAllHave(Revision... leaves) {
        for (int node = 0; node < 3; node++) {
            assertThat(client.leaves(node)).as("node %s", node).containsExactly(leaves);
        }
    }

    @Test
    void two_copies_are_enough_and_the_third_one_gets_it_when_it_is_back() {
        cluster.stop(2);
        Revision rev = client.written(201, 0, null, "without the third");
        cluster.start(2);
        time.pass(A_WHILE);
        assertThatAllHave(rev);
    }

    @Test
    void one_copy_is_not_enough_for_a_201_but_keeps_what_it_took() {
        cluster.stop(1);
        cluster.stop(2);
        Revision rev = client.written(202, 0, null, "alone");
        cluster.start(1);
        cluster.start(2);
        time.pass(A_WHILE);
        assertThatAllHave(rev);
    }

    @Test
    void with_one_copy_a_stale_write_is_still_refused() {
        Revision first = client.written(201, 0, null, "first");
        client.written(201, 0, first, "second");
        cluster.stop(1);
        cluster.stop(2);
        assertThat(client.write(0, first, "stale").status()).isEqualTo(409);
    }

    @Test
    void with_a_node_down_a_race_that_splits_gives_202_to_both_and_leaves_two_leaves() {
        Revision base = client.written(201, 0, null, "waiting");
        cluster.stop(2);
        CompletableFuture<WriteRow> one = client.send(0, base, "one");
        CompletableFuture<WriteRow> other = client.send(1, base, "other");
        assertThat(client.await(one).status()).isEqualTo(202);
        assertThat(client.await(other).status()).isEqualTo(202);
        time.pass(A_WHILE);
        assertThat(client.leaves(0)).hasSize(2).isEqualTo(client.leaves(1));
    }

    @Test
    void after_a_partition_the_longer_branch_wins_whoever_was_in_the_majority() {
        Revision base = client.written(201, 0, null, "waiting");
        cluster.isolate(2);
        Revision majority = client.written(201, 0, base, "claimed by the majority");
        Revision minority = client.written(202, 2, base, "claimed by the minority");
        minority = client.written(202, 2, minority, "renewed by the minority");
        cluster.heal(2);
        time.pass(A_WHILE);
        assertThatAllHave(minority, majority);
    }

    @Test
    void a_node_that_is_not_heard_gets_a_202_and_hears_what_the_others_write() {
        Revision base = client.written(201, 0, null, "waiting");
        cluster.mute(2);
        Revision majority = client.written(201, 0, base, "by those who are heard");
        assertThat(client.leaves(2)).containsExactly(majority);
        client.written(202, 2, majority, "by the one who is not");
    }

    @Test
    void a_node_that_does_not_hear_the_others_writes_what_they_store_and_never_learns_it() {
        Revision base = client.written(201, 0, null, "waiting");
        cluster.deafen(2);
        Revision unheard = client.written(202, 2, base, "stored everywhere");
        assertThat(client.leaves(0)).containsExactly(unheard);
        cluster.heal(2);
        time.pass(A_WHILE);
        assertThatAllHave(unheard);
    }

    @Test
    void a_cluster_of_five_nodes_has_three_copies_and_two_of_them_are_enough_for_all_nodes() {
        Cluster five = new Cluster(
                time,
                new RandomDelays(1, RandomDelays.Means.COUCHDB_3_5),
                new Cluster.Settings(5, 3, 1, Duration.ofSeconds(60), Duration.ofSeconds(60)));
        Client writer = new Client(time, five);
        five.stop(2);
        Revision rev = writer.written(201, 4, null, "through a node without a copy");
        assertThat(writer.read(3).map(Doc::rev)).contains(rev);
        five.stop(1);
        writer.written(202, 4, rev, "with one copy left");
        five.close();
    }

    @Test
    void a_minority_answers_when_it_has_given_up_the_others_and_from_then_on_at_once() {
        cluster.isolate(2);
        long cut = time.now();
        Revision first = client.written(202, 2, null, "first");
        assertThat(time.now() - cut).isBetween(59_000_000L, 61_000_000L);
        long later = time.now();
        client.written(202, 2, first, "second");
        assertThat(time.now() - later).isLessThan(1_000_000);
    }

    @Test
    void writes_that_waited_in_a_cut_connection_arrive_late_and_lose() {
        Revision base = client.written(201, 0, null, "waiting");
        time.pass(A_WHILE);
        cluster.isolate(2);
        CompletableFuture<WriteRow> early = client.send(2, base, "cut off");
        time.pass(Duration.ofSeconds(5));
        Revision majority = client.written(201, 0, base, "majority");
        time.pass(Duration.ofSeconds(5));
        cluster.heal(2);
        assertThat(client.await(early).status()).isEqualTo(202);
        time.pass(A_WHILE);
        assertThat(client.leaves(0)).hasSize(2).contains(majority).isEqualTo(client.leaves(2));
    }

    @Test
    void a_frozen_coordinator_comes_too_late() {
        Revision base = client.written(201, 0, null, "waiting");
        cluster.freeze(0);
        CompletableFuture<WriteRow> frozen = client.send(0, base, "frozen");
        Revision winner = client.written(201, 1, base, "awake");
        assertThat(frozen).isNotDone();
        cluster.thaw(0);
        assertThat(client.await(frozen).status()).isEqualTo(409);
        time.pass(A_WHILE);
        assertThatAllHave(winner);
    }

    @Test
    void a_killed_coordinator_does_not_answer_but_what_it_sent_is_stored() {
        Revision base = client.written(201, 0, null, "waiting");
        CompletableFuture<WriteRow> unanswered = client.send(0, base, "unanswered");
        time.pass(Duration.ofMillis(10));
        cluster.stop(0);
        time.pass(A_WHILE);
        assertThat(unanswered).isNotDone();
        assertThat(client.leaves(1)).hasSize(1).isEqualTo(client.leaves(2)).doesNotContain(base);
        cluster.start(0);
        time.pass(A_WHILE);
        assertThat(client.leaves(0)).isEqualTo(client.leaves(1));
    }

    @Test
    void a_reader_at_a_copy_that_went_elsewhere_sees_the_winner_and_repairs_the_copies() {
        Revision base = client.written(201, 0, null, "waiting");
        time.pass(A_WHILE);
        CompletableFuture<WriteRow> minority = client.send(0, base, "minority");
        CompletableFuture<WriteRow> majority = client.send(2, base, "majority");
        assertThat(client.await(minority).status()).isEqualTo(202);
        assertThat(client.await(majority).status()).isEqualTo(201);
        assertThat(client.leaves(0)).as("before the repair").hasSize(1).isNotEqualTo(client.leaves(1));
        assertThat(client.read(2).orElseThrow().rev())
                .as("read by a majority")
                .isEqualTo(client.leaves(2).get(0));
        Doc read = client.read(0).orElseThrow();
        time.pass(Duration.ofSeconds(1));
        for (int node = 0; node < 3; node++) {
            assertThat(client.leaves(node)).hasSize(2).first().isEqualTo(read.rev());
        }
    }

    @Test
    void all_leaves_are_seen_before_replication_by_who_asks_the_copy_that_went_elsewhere() {
        Revision base = client.written(201, 0, null, "waiting");
        time.pass(A_WHILE);
        CompletableFuture<WriteRow> minority = client.send(0, base, "minority");
        CompletableFuture<WriteRow> majority = client.send(2, base, "majority");
        List<Revision> both = List.of(
                Objects.requireNonNull(client.await(minority).rev()),
                Objects.requireNonNull(client.await(majority).rev()));
        assertThat(client.allLeaves(0))
                .isEqualTo(both.stream().sorted(Comparator.reverseOrder()).toList());
    }

    @Test
    void a_majority_that_agrees_hides_the_leaf_of_the_third_copy() {
        Revision base = client.written(201, 0, null, "waiting");
        time.pass(A_WHILE);
        client.send(0, base, "minority", row -> {});
        Revision majority = client.written(201, 2, base, "majority");
        assertThat(client.allLeaves(2)).containsExactly(majority);
    }

    @Test
    void a_copy_that_has_an_ancestor_beside_its_leaf_gets_the_history_from_a_reader() {
        Revision first = client.written(201, 0, null, "first");
        Revision second = client.written(201, 0, first, "second");
        Revision third = client.written(201, 0, second, "third");
        time.pass(A_WHILE);
        client.forget(1);
        client.give(1, List.of(third, second), "third");
        client.give(1, List.of(first), "first");
        assertThat(client.leaves(1)).containsExactly(third, first);

        assertThat(client.read(1).orElseThrow().rev()).isEqualTo(third);
        time.pass(Duration.ofSeconds(1));
        assertThat(client.leaves(1)).containsExactly(third);
    }

    @Test
    void two_copies_of_which_one_is_behind_are_enough_to_read_all_leaves() {
        Revision first = client.written(201, 0, null, "first");
        Revision second = client.written(201, 0, first, "second");
        time.pass(A_WHILE);
        client.forget(0);
        client.give(0, List.of(first), "first");
        client.give(1, List.of(new Revision(2, "ff"), first), "the last copy to answer");

        assertThat(client.allLeaves(0)).containsExactly(second);
    }

    @Test
    void one_of_many_documents_is_read_from_all_copies_when_the_first_two_differ() {
        Revision first = client.written(201, 0, null, "first");
        Revision second = client.written(201, 0, first, "second");
        Revision other = new Revision(2, "ff");
        time.pass(A_WHILE);
        client.forget(0);
        client.give(0, List.of(first), "first");
        client.give(1, List.of(other, first), "the last copy to answer");

        assertThat(client.leavesOfMany(0)).containsExactly(other, second);
    }

    @Test
    void with_one_copy_left_a_missing_document_is_missing_at_once() {
        cluster.stop(1);
        cluster.stop(2);
        long asked = time.now();
        assertThat(client.read(0)).isEmpty();
        assertThat(time.now() - asked).isLessThan(1_000_000);
    }

    @Test
    void a_missing_document_is_missing_everywhere() {
        assertThat(client.read(1)).isEmpty();
        assertThat(List.of(client.leaves(0), client.leaves(1))).allMatch(List::isEmpty);
    }
}

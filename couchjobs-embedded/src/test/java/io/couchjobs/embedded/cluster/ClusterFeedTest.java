package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Revision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Feeds of a cluster: each reads one copy; another node honours its position, approximately. */
class ClusterFeedTest {
    private static final Duration A_WHILE = Duration.ofSeconds(30);
    private static final Cluster.Settings FIVE_NODES =
            new Cluster.Settings(5, 3, 1, Duration.ofSeconds(60), Duration.ofSeconds(60));

    private final VirtualTime time = new VirtualTime();
    private final Cluster cluster = new Cluster(time, RankedDelays.nearestFirst(), Cluster.Settings.DEFAULTS);
    private final Client client = new Client(time, cluster);

    private static final class Follower implements FeedListener {
        private final List<Revision> seen = new ArrayList<>();
        private final List<String> ids = new ArrayList<>();
        private String position = "0";
        private boolean ended;

        @Override
        public void row(FeedRow row) {
            seen.add(row.doc().rev());
            ids.add(row.doc().id());
            position = row.seq();
        }

        @Override
        public void ended() {
            ended = true;
        }
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private Follower follow(int node, String since) {
        Follower follower = new Follower();
        cluster.node(node).follow(since, follower);
        return follower;
    }

    /** {@return the position of somebody who has read all that there is at a node} */
    private String read(int node) {
        Follower follower = follow(node, "0");
        time.pass(Duration.ofSeconds(1));
        return follower.position;
    }

    @Test
    void a_feed_shows_what_was_and_what_comes() {
        Revision first = client.written(201, 0, null, "first");
        Follower follower = follow(1, "0");
        time.pass(A_WHILE);
        Revision second = client.written(201, 2, first, "second");
        time.pass(A_WHILE);
        assertThat(follower.seen).containsExactly(first, second);
    }

    @Test
    void a_position_goes_on_at_another_node_while_its_copy_is_in_reach() {
        Revision first = client.written(201, 0, null, "first");
        Follower follower = follow(0, "0");
        time.pass(A_WHILE);
        String position = follower.position;
        Revision second = client.written(201, 0, first, "second");
        Follower other = follow(1, position);
        time.pass(A_WHILE);
        assertThat(other.seen).containsExactly(second);
    }

    @Test
    void without_the_copy_that_was_read_a_feed_rewinds() {
        Revision first = client.written(201, 0, null, "first");
        time.pass(Duration.ofSeconds(1));
        Follower follower = follow(0, "0");
        time.pass(Duration.ofSeconds(1));
        assertThat(follower.seen).containsExactly(first);
        cluster.stop(0);
        Follower other = follow(1, follower.position);
        time.pass(A_WHILE);
        assertThat(other.seen).containsExactly(first);
    }

    @Test
    void a_change_that_a_copy_got_from_the_one_that_was_read_is_not_shown_again() {
        Revision first = client.written(201, 0, null, "first");
        Follower follower = follow(0, "0");
        time.pass(A_WHILE);
        cluster.stop(0);
        Follower other = follow(1, follower.position);
        time.pass(A_WHILE);
        assertThat(other.seen).isEmpty();
        Revision second = client.written(201, 1, first, "second");
        time.pass(A_WHILE);
        assertThat(other.seen).containsExactly(second);
    }

    @Test
    void a_change_that_another_copy_had_alone_is_not_skipped() {
        client.written(201, 0, null, "known to all");
        String position = read(0);
        cluster.stop(0);
        cluster.stop(2);
        cluster.node(1).write(List.of(new Edit("lonely", List.of(), false, Json.object())), answer -> {});
        time.pass(Duration.ofSeconds(1));
        cluster.start(0);
        time.pass(A_WHILE);
        cluster.stop(0);
        Follower other = follow(1, position);
        time.pass(A_WHILE);
        assertThat(other.ids).contains("lonely");
    }

    @Test
    void a_feed_dies_with_its_node() {
        Revision first = client.written(201, 0, null, "first");
        Follower follower = follow(0, "0");
        time.pass(A_WHILE);
        cluster.stop(0);
        cluster.start(0);
        client.written(201, 1, first, "second");
        time.pass(A_WHILE);
        assertThat(follower.seen).containsExactly(first);
    }

    @Test
    void a_feed_ends_when_the_copy_it_reads_is_lost_on_the_way() {
        client.written(201, 0, null, "first");
        Follower first = follow(0, "0");
        time.pass(A_WHILE);
        Follower follower = follow(1, first.position);
        time.pass(Duration.ofMillis(2));
        cluster.stop(0);
        time.pass(A_WHILE);
        assertThat(follower.ended).isTrue();
    }

    @Test
    void a_feed_at_a_node_without_copies_ends_when_all_copies_are_out_of_reach_and_not_before() {
        try (Cluster five = new Cluster(time, new RandomDelays(1, RandomDelays.Means.COUCHDB_3_5), FIVE_NODES)) {
            Follower follower = new Follower();
            five.node(4).follow("0", follower);
            time.pass(A_WHILE);
            five.isolate(0);
            five.isolate(1);
            time.pass(Duration.ofMinutes(2));
            assertThat(follower.ended).as("the third copy is in reach").isFalse();
            five.isolate(4);
            time.pass(Duration.ofMinutes(2));
            assertThat(follower.ended).isTrue();
        }
    }

    @Test
    void a_feed_at_a_node_with_a_copy_goes_on_without_the_others() {
        Follower follower = follow(1, "0");
        cluster.isolate(1);
        time.pass(Duration.ofMinutes(2));
        client.send(1, null, "alone", row -> {});
        time.pass(Duration.ofMinutes(2));
        assertThat(follower.ended).isFalse();
        assertThat(follower.seen).hasSize(1);
    }

    @Test
    void a_feed_ends_with_its_database_though_that_is_made_anew_at_once() {
        client.written(201, 0, null, "first");
        Follower follower = follow(1, "0");
        time.pass(A_WHILE);
        cluster.delete(Cluster.DATABASE);
        cluster.create(Cluster.DATABASE);
        time.pass(A_WHILE);
        assertThat(follower.ended).isTrue();
    }

    @Test
    void a_feed_that_begins_in_the_moment_in_which_its_database_is_deleted_ends() {
        Coordinator before = cluster.node(1);
        cluster.delete(Cluster.DATABASE);
        Follower follower = new Follower();
        before.follow("0", follower);
        time.pass(A_WHILE);
        assertThat(follower.ended).isTrue();
    }

    @Test
    void a_feed_at_a_frozen_node_ends_with_its_database_when_the_node_is_thawed() {
        Follower follower = follow(1, "0");
        time.pass(A_WHILE);
        cluster.freeze(1);
        cluster.delete(Cluster.DATABASE);
        time.pass(A_WHILE);
        assertThat(follower.ended).isFalse();
        cluster.thaw(1);
        time.pass(A_WHILE);
        assertThat(follower.ended).isTrue();
    }

    @Test
    void a_leaf_that_loses_in_a_copy_comes_with_its_feed_nevertheless() {
        Revision base = client.written(201, 0, null, "waiting");
        time.pass(A_WHILE);
        Follower follower = follow(1, "0");
        time.pass(A_WHILE);
        client.send(0, base, "one", row -> {});
        client.send(2, base, "other", row -> {});
        time.pass(A_WHILE);
        assertThat(follower.seen)
                .as("the race and the conflict that replication brings")
                .hasSize(3);
        assertThat(follower.seen.get(2)).isEqualTo(client.leaves(1).get(0));
    }
}

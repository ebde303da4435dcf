package io.couchjobs.embedded.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties are tried on random trees; a failing case is named by its seed. */
class RevTreeTest {
    private record Branch(List<Revision> path, boolean deleted) {}

    static LongStream seeds() {
        return new Random(20_251_121).longs(50);
    }

    private static Revision rev(int pos, String hash) {
        return new Revision(pos, hash);
    }

    /** Branches that share their trunks, as replicas of one document would bring them; no leaf lies within another. */
    private static List<Branch> branches(Random random) {
        List<List<Revision>> paths = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            List<Revision> path = new ArrayList<>();
            if (!paths.isEmpty() && random.nextInt(4) > 0) {
                List<Revision> other = paths.get(random.nextInt(paths.size()));
                path.addAll(other.subList(random.nextInt(other.size()), other.size()));
            }
            for (int more = 1 + random.nextInt(4); more > 0; more--) {
                path.add(0, rev(path.isEmpty() ? 1 : path.get(0).pos() + 1, Integer.toHexString(random.nextInt())));
            }
            paths.add(path);
        }
        Set<Revision> inner = new HashSet<>();
        paths.forEach(path -> inner.addAll(path.subList(1, path.size())));
        return paths.stream()
                .filter(path -> !inner.contains(path.get(0)))
                .map(path -> new Branch(path, random.nextInt(3) == 0))
                .toList();
    }

    private static RevTree merged(List<Branch> branches) {
        RevTree tree = RevTree.empty();
        for (Branch branch : branches) {
            tree = tree.merge(branch.path(), branch.deleted(), 1);
        }
        return tree;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void the_order_of_merges_does_not_matter(long seed) {
        Random random = new Random(seed);
        List<Branch> branches = branches(random);
        List<Branch> shuffled = new ArrayList<>(branches);
        Collections.shuffle(shuffled, random);
        assertThat(merged(shuffled)).isEqualTo(merged(branches));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void merging_again_changes_nothing(long seed) {
        List<Branch> branches = branches(new Random(seed));
        List<Branch> twice = new ArrayList<>(branches);
        twice.addAll(branches);
        assertThat(merged(twice)).isEqualTo(merged(branches));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void every_branch_ends_in_a_leaf_and_keeps_its_history(long seed) {
        List<Branch> branches = branches(new Random(seed));
        RevTree tree = merged(branches);
        assertThat(tree.leaves()).hasSameSizeAs(branches);
        assertThat(branches).allSatisfy(branch -> {
            assertThat(tree.leaf(branch.path().get(0))).isPresent();
            assertThat(tree.path(branch.path().get(0))).isEqualTo(branch.path());
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void stemming_keeps_the_leaves_and_the_newest_generations(long seed) {
        Random random = new Random(seed);
        RevTree tree = merged(branches(random));
        int limit = 1 + random.nextInt(4);
        RevTree stemmed = tree.stem(limit);
        assertThat(stemmed.leaves())
                .extracting(Node::rev)
                .isEqualTo(tree.leaves().stream().map(Node::rev).toList());
        assertThat(stemmed.leaves()).allSatisfy(leaf -> {
            List<Revision> before = tree.path(leaf.rev());
            assertThat(stemmed.path(leaf.rev()))
                    .startsWith(
                            before.subList(0, Math.min(limit, before.size())).toArray(Revision[]::new));
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void purging_all_leaves_leaves_nothing(long seed) {
        RevTree tree = merged(branches(new Random(seed)));
        for (Node leaf : tree.leaves()) {
            tree = tree.without(leaf.rev());
            assertThat(tree.find(leaf.rev())).isEmpty();
        }
        assertThat(tree.isEmpty()).isTrue();
    }

    @Test
    void a_live_leaf_wins_over_a_longer_deleted_one() {
        RevTree tree = RevTree.empty()
                .merge(List.of(rev(2, "b"), rev(1, "a")), false, 1)
                .merge(List.of(rev(3, "d"), rev(2, "c"), rev(1, "a")), true, 2);
        assertThat(tree.winner().rev()).isEqualTo(rev(2, "b"));
        assertThat(tree.deletedConflicts()).containsExactly(rev(3, "d"));
    }

    @Test
    void the_longer_branch_wins_and_then_the_greater_hash() {
        RevTree tree = RevTree.empty()
                .merge(List.of(rev(10, "a")), false, 1)
                .merge(List.of(rev(9, "z")), false, 2)
                .merge(List.of(rev(10, "b")), false, 3);
        assertThat(tree.winner().rev()).isEqualTo(rev(10, "b"));
        assertThat(tree.conflicts()).containsExactly(rev(10, "a"), rev(9, "z"));
    }

    @Test
    void a_stemmed_root_finds_its_parent_again_when_a_replica_brings_it() {
        RevTree tree = RevTree.empty()
                .merge(List.of(rev(2, "b")), false, 1)
                .merge(List.of(rev(3, "c"), rev(2, "b"), rev(1, "a")), false, 2);
        assertThat(tree.path(rev(3, "c"))).containsExactly(rev(3, "c"), rev(2, "b"), rev(1, "a"));
        assertThat(tree.leaves()).hasSize(1);
    }
}

package io.couchjobs.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.lifecycle.Leaf.Kind;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What must hold of the resolution of any leaves whatever. Each failure names the seed that brings it back. */
class ResolutionPropertiesTest {
    private static final int SEEDS = Integer.getInteger("couchjobs.seeds", 500);
    private static final int MANY_STEPS = 60;

    @Test
    void it_depends_on_the_leaves_and_not_on_their_order() {
        forEachSeed(random -> {
            List<ObjectNode> leaves = new RandomLeaves(random).some();
            Resolution one = resolve(leaves);
            List<ObjectNode> shuffled = new ArrayList<>(leaves);
            Collections.shuffle(shuffled, random);
            Resolution other = resolve(shuffled);
            assertThat(other.verdict()).isEqualTo(one.verdict());
            assertThat(other.winner().map(Job::toDocument))
                    .isEqualTo(one.winner().map(Job::toDocument));
            assertThat(other.tombstones()).isEqualTo(one.tombstones());
        });
    }

    @Test
    void resolving_what_was_resolved_changes_nothing() {
        forEachSeed(random -> {
            LeafTree tree = tree(new RandomLeaves(random).some());
            finish(tree);
            assertThat(resolve(tree.leaves()).verdict()).isIn(Resolution.Verdict.SETTLED, Resolution.Verdict.UNDECIDED);
            if (!isUndecided(tree)) {
                assertThat(live(tree).size())
                        .as("leaves left: %s", leavesOf(tree))
                        .isLessThanOrEqualTo(1);
            }
        });
    }

    @Test
    void a_job_that_nobody_removed_stays() {
        forEachSeed(random -> {
            LeafTree tree = tree(new RandomLeaves(random).some());
            boolean removed = leavesOf(tree).stream().anyMatch(leaf -> leaf.isGone() && !leaf.isResolved());
            boolean wasThere = live(tree).stream().anyMatch(leaf -> leaf.kind() != Kind.MALFORMED);
            boolean wasAny = !live(tree).isEmpty();
            finish(tree);
            if (!removed && wasThere) {
                assertThat(live(tree))
                        .isNotEmpty()
                        .noneMatch(leaf -> leaf.kind() == Kind.MALFORMED && !isUndecided(tree));
            } else if (!removed && wasAny) {
                assertThat(live(tree)).isNotEmpty();
            }
        });
    }

    @Test
    void an_owner_loses_its_lock_only_to_an_end_or_to_a_later_claim() {
        forEachSeed(random -> {
            LeafTree tree = tree(new RandomLeaves(random).some());
            List<Leaf> before = leavesOf(tree);
            finish(tree);
            for (Leaf owner : before) {
                if (owner.kind() == Kind.OWNED && !isThereStill(owner, tree)) {
                    assertThat(before)
                            .as("who may have beaten %s", owner)
                            .anyMatch(other -> isEnd(other, owner) || isLater(other, owner));
                }
            }
        });
    }

    @Test
    void nobody_else_gets_the_lock_of_an_owner() {
        forEachSeed(random -> {
            LeafTree tree = tree(new RandomLeaves(random).some());
            List<Leaf> before = leavesOf(tree);
            finish(tree);
            for (Leaf leaf : live(tree)) {
                if (leaf.kind() == Kind.OWNED) {
                    assertThat(before).anyMatch(then -> then.kind() == Kind.OWNED && then.hasTokenOf(leaf));
                }
            }
        });
    }

    @Test
    void fences_never_go_back_behind_a_claim_that_may_have_run() {
        forEachSeed(random -> {
            LeafTree tree = tree(new RandomLeaves(random).some());
            List<Leaf> before =
                    leavesOf(tree).stream().filter(leaf -> !leaf.isResolved()).toList();
            Optional<Leaf> best =
                    before.stream().filter(leaf -> mayHaveRun(leaf, before)).min(Leaf.BEST_FIRST);
            finish(tree);
            for (Leaf leaf : live(tree)) {
                if (leaf.kind() == Kind.PENDING && !isUndecided(tree)) {
                    assertThat(leaf.fence())
                            .as("leaves before: %s", before)
                            .isGreaterThanOrEqualTo(best.orElseThrow().fence());
                }
            }
        });
    }

    @Test
    void resolvers_that_race_on_copies_of_the_document_agree_in_the_end() {
        forEachSeed(random -> {
            List<ObjectNode> leaves = new RandomLeaves(random).some();
            List<LeafTree> copies = List.of(tree(some(leaves, random)), tree(some(leaves, random)), tree(leaves));
            List<Racer> racers = List.of(new Racer(1), new Racer(2));
            for (int step = 0; step < MANY_STEPS; step++) {
                LeafTree copy = copies.get(random.nextInt(3));
                racers.get(random.nextInt(2)).step(copy);
                if (random.nextInt(4) == 0) {
                    copies.get(random.nextInt(3)).take(copy);
                }
            }
            LeafTree whole = copies.get(0).copy();
            copies.forEach(whole::take);
            finish(whole);
            assertThat(isUndecided(whole) || live(whole).size() <= 1)
                    .as("leaves left: %s", leavesOf(whole))
                    .isTrue();
        });
    }

    /** A leaf without a run that parted from a branch before that branch was run, was not run: one of two rivals is taken back. */
    private static boolean mayHaveRun(Leaf leaf, List<Leaf> leaves) {
        boolean isToBeRun = leaf.isFresh() && leaf.kind() != Kind.OWNED;
        boolean wasWithdrawn = leaf.kind() == Kind.OWNED
                && leaves.stream().anyMatch(other -> other.isWithdrawn() && other.hasTokenOf(leaf));
        if (wasWithdrawn) {
            return false;
        }
        return !isToBeRun || leaves.stream().noneMatch(other -> other.hasRun() && leaf.partedBeforeClaimOf(other));
    }

    private static boolean isEnd(Leaf other, Leaf owner) {
        return (other.isGone() || other.kind() == Kind.ENDED) && !other.isResolved() && other.fence() >= owner.fence();
    }

    private static boolean isLater(Leaf other, Leaf owner) {
        boolean sameClaim = other.hasTokenOf(owner) && other.kind() == Kind.OWNED && other.fence() >= owner.fence();
        return sameClaim || (other.fence() > owner.fence() && (other.hasFence() || other.kind() == Kind.OWNED));
    }

    private static boolean isThereStill(Leaf owner, LeafTree tree) {
        return live(tree).stream().anyMatch(leaf -> leaf.kind() == Kind.OWNED && leaf.hasTokenOf(owner));
    }

    private static boolean isUndecided(LeafTree tree) {
        return resolve(tree.leaves()).verdict() == Resolution.Verdict.UNDECIDED;
    }

    private static List<ObjectNode> some(List<ObjectNode> leaves, Random random) {
        return leaves.stream().filter(leaf -> random.nextInt(3) > 0).toList();
    }

    private static LeafTree tree(List<ObjectNode> leaves) {
        LeafTree tree = new LeafTree();
        leaves.forEach(leaf -> tree.graft(leaf.deepCopy()));
        return tree;
    }

    private static List<Leaf> leavesOf(LeafTree tree) {
        return tree.leaves().stream().map(Leaf::of).toList();
    }

    private static List<Leaf> live(LeafTree tree) {
        return leavesOf(tree).stream().filter(Leaf::isLive).toList();
    }

    private static Resolution resolve(List<ObjectNode> leaves) {
        return Resolution.of(leaves, Optional.empty(), Jobs.NOW);
    }

    private static void finish(LeafTree tree) {
        Racer alone = new Racer(0);
        for (int step = 0; !alone.isDone(tree); step++) {
            assertThat(step).as("steps until nothing is left to do").isLessThan(MANY_STEPS);
            alone.step(tree);
        }
    }

    private static void forEachSeed(Consumer<Random> property) {
        long first = Long.getLong("couchjobs.seed", System.nanoTime());
        int count = Long.getLong("couchjobs.seed") == null ? SEEDS : 1;
        for (long seed = first; seed < first + count; seed++) {
            try {
                property.accept(new Random(seed));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("with -Dcouchjobs.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** A resolver that can be interrupted after each request. */
    private static final class Racer {
        private final List<ObjectNode> toWrite = new ArrayList<>();
        private final int number;
        private Optional<String> proven = Optional.empty();
        private boolean isProof;

        Racer(int number) {
            this.number = number;
        }

        boolean isDone(LeafTree copy) {
            Resolution.Verdict verdict = resolve(copy.leaves()).verdict();
            return verdict == Resolution.Verdict.SETTLED || verdict == Resolution.Verdict.UNDECIDED;
        }

        void step(LeafTree copy) {
            if (toWrite.isEmpty()) {
                Resolution resolution = Resolution.of(copy.leaves(), proven, Jobs.NOW.plusMillis(number));
                isProof = resolution.verdict() == Resolution.Verdict.CONFIRM;
                resolution.winner().map(Job::toDocument).ifPresent(toWrite::add);
                toWrite.addAll(resolution.tombstones());
            } else {
                String rev = copy.write(toWrite.remove(0));
                proven = isProof && !rev.isEmpty() ? Optional.of(rev) : Optional.empty();
                if (rev.isEmpty()) {
                    toWrite.clear();
                }
            }
        }
    }
}

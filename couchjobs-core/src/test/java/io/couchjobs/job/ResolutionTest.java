package io.couchjobs.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResolutionTest {
    private static final String WAITING = "'status':'waiting'";
    private static final String ENDED = "'status':'success','attempt':1,'fence':1";
    private static final String GONE = "'_deleted':true";

    @Test
    void a_document_with_one_leaf_is_left_alone() {
        assertThat(resolve(leaf("2-a", WAITING)).verdict()).isEqualTo(Resolution.Verdict.SETTLED);
    }

    @Test
    void the_greater_fence_wins_also_against_the_longer_branch() {
        Resolution resolution = resolve(leaf("9-a", owned("t1", 1)), leaf("3-b", owned("t2", 2)));
        assertThat(lost(resolution)).containsExactly("9-a");
        assertThat(resolution.winner()).isEmpty();
        assertThat(resolution.tombstones().get(0).at("/resolved/why").asText())
                .isEqualTo("the claim of worker w-t1 (fence 1) lost to the claim of worker w-t2 (fence 2)");
    }

    @Test
    void the_owner_wins_against_a_claim_that_was_withdrawn() {
        assertThat(lost(resolve(leaf("2-a", owned("t1", 1)), leaf("3-b", withdrawn("t2", 1, "")))))
                .containsExactly("3-b");
    }

    @Test
    void of_two_owners_with_the_same_fence_nobody_knows_who_was_confirmed() {
        Resolution resolution = resolve(leaf("2-a", owned("t1", 1)), leaf("2-b", owned("t2", 1)));
        assertThat(resolution.verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(resolution.tombstones()).isEmpty();
    }

    @Test
    void two_leaves_of_one_claim_are_one_owner() {
        assertThat(lost(resolve(leaf("3-a", owned("t1", 1)), leaf("2-b", owned("t1", 1)))))
                .containsExactly("2-b");
    }

    @Test
    void the_end_of_a_run_wins_against_what_looks_like_an_owner() {
        assertThat(lost(resolve(leaf("3-a", "'status':'success','fence':1"), leaf("7-b", owned("t2", 1)))))
                .containsExactly("7-b");
    }

    @Test
    void a_job_that_waits_for_its_retry_does_not_lose_it_to_a_claim_that_may_be_withdrawn() {
        ObjectNode stuck = leaf("3-a", "'status':'stuck','fence':1");
        assertThat(resolve(stuck, leaf("2-b", owned("t2", 1))).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(lost(resolve(stuck, leaf("3-b", withdrawn("t2", 1, ""))))).containsExactly("3-b");
    }

    @Test
    void a_removed_job_does_not_rise_from_the_dead() {
        assertThat(lost(resolve(leaf("3-a", GONE + ",'fence':2"), leaf("3-b", owned("t1", 2)))))
                .containsExactly("3-b");
        assertThat(lost(resolve(leaf("2-a", GONE), leaf("3-b", withdrawn("t1", 1, "")))))
                .containsExactly("3-b");
    }

    @Test
    void a_job_that_was_added_again_after_its_removal_stays() {
        Job finished = Jobs.inStatus(JobStatus.SUCCESS);
        Job again = Transitions.retry(finished, Jobs.NOW).write().orElseThrow();
        Resolution resolution = resolve(
                again.withRev("4-a").toDocument(),
                leaf("4-b", GONE + ",'status':'success','fence':" + finished.fence()));
        assertThat(resolution.verdict()).isEqualTo(Resolution.Verdict.SETTLED);
        assertThat(lost(resolve(leaf("9-a", WAITING), leaf("4-b", "'status':'success','fence':3"))))
                .containsExactly("4-b");
    }

    @Test
    void a_tombstone_of_a_resolution_counts_no_more() {
        ObjectNode resolved = leaf("9-a", GONE + ",'fence':9,'resolved':{'at':1}");
        assertThat(resolve(resolved, leaf("2-b", WAITING)).verdict()).isEqualTo(Resolution.Verdict.SETTLED);
    }

    @Test
    void a_job_without_an_owner_waits_again_when_a_majority_is_in_reach() {
        ObjectNode mine = leaf("3-b", withdrawn("t2", 5, "no quorum"));
        ObjectNode other = leaf("3-a", withdrawn("t1", 5, "no quorum"));
        Resolution unproven = resolve(mine, other);
        assertThat(unproven.verdict()).isEqualTo(Resolution.Verdict.PROVE);
        assertThat(unproven.tombstones()).isEmpty();
        Job proof = unproven.winner().orElseThrow();
        assertThat(proof.rev()).contains("3-b");
        assertThat(proof.lock().flatMap(Lock::withdrawn).map(Lock.Withdrawal::at))
                .contains(Jobs.NOW);

        Resolution proven =
                Resolution.of(List.of(proof.withRev("4-c").toDocument(), other), Optional.of("4-c"), Jobs.NOW);
        Job restored = proven.winner().orElseThrow();
        assertThat(restored.status()).isEqualTo(JobStatus.WAITING);
        assertThat(restored.lock()).isEmpty();
        assertThat(restored.fence()).isEqualTo(4);
        assertThat(restored.attempt()).isZero();
        assertThat(lost(proven)).containsExactly("3-a");
    }

    @Test
    void a_claim_that_may_have_run_keeps_its_fence_when_it_is_taken_back() {
        ObjectNode leaf = leaf("3-b", withdrawn("t2", 5, "expired"));
        Job restored = Resolution.of(List.of(leaf), Optional.of("3-b"), Jobs.NOW)
                .winner()
                .orElseThrow();
        assertThat(restored.status()).isEqualTo(JobStatus.WAITING);
        assertThat(restored.fence()).isEqualTo(5);
        assertThat(restored.expirations()).isEqualTo(1);
    }

    @Test
    void a_cancel_request_on_a_losing_leaf_reaches_the_owner() {
        ObjectNode loser = leaf("3-b", withdrawn("t2", 1, "") + ",'cancelRequested':true");
        Job winner = resolve(leaf("2-a", owned("t1", 1)), loser).winner().orElseThrow();
        assertThat(winner.isCancelRequested()).isTrue();
        assertThat(winner.isLockedBy("t1")).isTrue();
    }

    @Test
    void a_cancel_that_lost_to_a_claim_becomes_a_request() {
        ObjectNode waiting = leaf("1-x", WAITING);
        Job cancelled = Transitions.cancel(Job.parse(waiting), Jobs.NOW)
                .write()
                .orElseThrow()
                .withRev("2-a");
        Job claimed = Transitions.claim(Job.parse(waiting), "t1", "w", true, Jobs.NOW)
                .write()
                .orElseThrow()
                .withRev("2-b");
        Resolution resolution = resolve(cancelled.toDocument(), claimed.toDocument());
        assertThat(lost(resolution)).containsExactly("2-a");
        assertThat(resolution.winner().orElseThrow().isCancelRequested()).isTrue();
    }

    @Test
    void what_was_added_to_a_losing_leaf_is_run_once_more() {
        ObjectNode loser = leaf("3-b", owned("t1", 1) + ",'resubmit':{'scheduledTime':7000}");
        Job winner = resolve(leaf("4-a", "'status':'success','fence':1"), loser)
                .winner()
                .orElseThrow();
        assertThat(winner.status()).isEqualTo(JobStatus.WAITING);
        assertThat(winner.scheduledTime()).isEqualTo(Instant.ofEpochMilli(7000));
        assertThat(winner.fence()).isEqualTo(2);
    }

    @Test
    void a_document_that_cannot_be_a_job_never_wins_against_one_that_can() {
        assertThat(lost(resolve(leaf("9-a", "'status':'nonsense','fence':99"), leaf("2-b", WAITING))))
                .containsExactly("9-a");
    }

    @Test
    void what_is_created_late_on_a_losing_leaf_does_not_win_against_the_run_that_it_knows_nothing_of() {
        ObjectNode late = branch(WAITING, "e", "t", "b");
        assertThat(lost(resolve(late, branch(ENDED, "z", "c", "a")))).containsExactly("3-e");
        assertThat(lost(resolve(late, branch("'status':'stuck','attempt':1,'fence':1", "z", "c", "a"))))
                .containsExactly("3-e");
        assertThat(lost(resolve(branch(WAITING, "e", "t", "w", "l", "a"), branch(ENDED, "z", "c", "a"))))
                .containsExactly("5-e");
    }

    @Test
    void a_claim_of_what_was_created_late_ends_nobodys_run_and_nobodys_end() {
        ObjectNode late = branch(owned("t2", 3), "c", "e", "t", "b");
        assertThat(resolve(late, branch(ENDED, "z", "k", "a")).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(resolve(late, branch(owned("t1", 1), "k", "a")).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        ObjectNode taken = branch(withdrawn("t2", 3, "the job has another leaf"), "w", "c", "e", "t", "b");
        assertThat(resolve(taken, branch(owned("t1", 1), "k", "a")).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(lost(resolve(taken, branch(ENDED, "z", "k", "a")))).containsExactly("5-w");
    }

    @Test
    void a_job_that_was_added_after_its_removal_wins_against_the_end_of_the_run_that_was_removed() {
        ObjectNode again = branch(WAITING, "e", "r", "x", "c", "a");
        assertThat(lost(resolve(again, branch(ENDED, "z", "y", "c", "a")))).containsExactly("4-z");
    }

    @Test
    void a_job_that_was_added_after_its_removal_may_build_on_a_leaf_that_had_lost() {
        ObjectNode again = branch(WAITING, "e", "t", "w", "l", "a");
        ObjectNode removed = branch(GONE + ",'fence':2", "r", "c", "a");
        assertThat(lost(resolve(again, removed, branch(ENDED, "z", "c", "a")))).containsExactly("3-z");
    }

    @Test
    void who_wins_because_a_claim_was_taken_back_is_confirmed_before_the_other_goes() {
        ObjectNode waiting = branch(WAITING, "b");
        ObjectNode withdrawn = branch(withdrawn("t", 1, "the job has another leaf"), "w", "c", "a");
        Resolution unproven = resolve(waiting, withdrawn);
        assertThat(unproven.verdict()).isEqualTo(Resolution.Verdict.PROVE);
        assertThat(unproven.tombstones()).isEmpty();
        Job kept = unproven.winner().orElseThrow();
        assertThat(kept.rev()).contains("1-b");
        assertThat(kept.status()).isEqualTo(JobStatus.WAITING);
        assertThat(kept.fence()).isZero();

        ObjectNode confirmed = kept.withRev("2-k").toDocument();
        Resolution proven = Resolution.of(List.of(confirmed, withdrawn), Optional.of("2-k"), Jobs.NOW);
        assertThat(proven.winner()).isEmpty();
        assertThat(lost(proven)).containsExactly("3-w");
    }

    /** One saw the claim that was being taken back, the other the withdrawal; each deletes what lost. */
    @Test
    void resolvers_that_saw_a_claim_and_its_withdrawal_do_not_lose_the_job_between_them() {
        for (boolean early : List.of(true, false)) {
            LeafTree tree = new LeafTree();
            tree.graft(leaf("1-b", WAITING));
            tree.graft(leaf("2-c", owned("t", 1)));
            List<ObjectNode> byFirst =
                    resolve(tree.leaves().toArray(ObjectNode[]::new)).tombstones();
            assertThat(byFirst).extracting(one -> one.path("_rev").asText()).containsExactly("1-b");
            Job claim = Job.parse(leaf("2-c", owned("t", 1)));
            tree.write(Transitions.withdraw(claim, "the job has another leaf", Jobs.NOW)
                    .write()
                    .orElseThrow()
                    .toDocument());
            Resolution second = resolve(tree.leaves().toArray(ObjectNode[]::new));
            if (early) {
                tree.write(byFirst.get(0));
            }
            Optional<String> proven = second.winner().map(Job::toDocument).map(tree::write);
            Resolution.of(tree.leaves(), proven, Jobs.NOW).tombstones().forEach(tree::write);
            second.tombstones().forEach(tree::write);
            tree.write(byFirst.get(0));
            assertThat(tree.leaves()).anyMatch(leaf -> !leaf.path("_deleted").asBoolean());
        }
    }

    /** A leaf with its history, the newest revision first. */
    private static ObjectNode branch(String fields, String... hashes) {
        ObjectNode leaf = leaf(hashes.length + "-" + hashes[0], fields);
        ObjectNode revisions = leaf.putObject("_revisions").put("start", hashes.length);
        List.of(hashes).forEach(revisions.putArray("ids")::add);
        return leaf;
    }

    private static Resolution resolve(ObjectNode... leaves) {
        return Resolution.of(Arrays.asList(leaves), Optional.empty(), Jobs.NOW);
    }

    private static List<String> lost(Resolution resolution) {
        return resolution.tombstones().stream()
                .map(tombstone -> tombstone.path("_rev").asText())
                .toList();
    }

    private static ObjectNode leaf(String rev, String fields) {
        return Jobs.json("{'_id':'job:email:42','_rev':'" + rev + "'," + fields + "}");
    }

    private static String owned(String token, int fence) {
        return "'status':'running','attempt':1,'fence':" + fence + ",'lock':{'token':'" + token + "','worker':'w-"
                + token + "'}";
    }

    private static String withdrawn(String token, int fence, String reason) {
        return owned(token, fence).replace("'}", "','withdrawn':{'at':5,'reason':'" + reason + "'}}");
    }
}

package io.couchjobs.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import io.couchjobs.testing.Jobs;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResolutionTest extends ResolvedLeaves {
    @Test
    void a_document_with_one_leaf_is_left_alone() {
        assertThat(resolve(leaf("2-a", WAITING)).verdict()).isEqualTo(Resolution.Verdict.SETTLED);
    }

    @Test
    void the_greater_fence_wins_also_against_the_longer_branch() {
        Settled settled = settle(leaf("9-a", waiting(1)), leaf("3-b", waiting(2)));
        assertThat(settled.lost()).containsExactly("9-a");
        assertThat(settled.tombstones().get(0).at("/resolved/why").asText())
                .isEqualTo("a waiting job (fence 1) lost to a waiting job (fence 2)");
    }

    @Test
    void no_leaf_goes_before_the_one_that_wins_was_confirmed_whatever_it_is() {
        ObjectNode withdrawn = leaf("3-b", withdrawn("t2", 1, ""));
        for (String winner : List.of(owned("t1", 1), ENDED, waiting(0), waiting(3), "'status':'cancelled','fence':1")) {
            ObjectNode best = leaf("2-a", winner);
            Resolution first = resolve(best, withdrawn);
            assertThat(first.verdict()).as(winner).isEqualTo(Resolution.Verdict.CONFIRM);
            assertThat(first.winner().flatMap(Job::rev)).contains("2-a");
            assertThat(first.tombstones()).isEmpty();

            ObjectNode kept = first.winner().orElseThrow().withRev("3-k").toDocument();
            assertThat(resolve(kept, withdrawn).verdict()).as("not confirmed").isEqualTo(Resolution.Verdict.CONFIRM);
            assertThat(lost(Resolution.of(List.of(kept, withdrawn), Optional.of("3-k"), Jobs.NOW)))
                    .containsExactly("3-b");
        }
    }

    @Test
    void resolvers_that_see_the_same_leaves_keep_the_winner_in_the_same_revision() {
        ObjectNode best = leaf("2-a", ENDED);
        ObjectNode withdrawn = leaf("3-b", withdrawn("t2", 1, ""));
        Instant later = Jobs.NOW.plusSeconds(7);
        assertThat(Resolution.of(List.of(best, withdrawn), Optional.empty(), later)
                        .winner()
                        .map(Job::toDocument))
                .isEqualTo(resolve(best, withdrawn).winner().map(Job::toDocument));
    }

    @Test
    void the_owner_wins_against_a_claim_that_was_withdrawn() {
        assertThat(settle(leaf("2-a", owned("t1", 1)), leaf("3-b", withdrawn("t2", 1, "")))
                        .lost())
                .containsExactly("3-b");
    }

    @Test
    void a_conflict_of_two_owners_is_undecided_as_each_may_be_confirmed_and_may_live() {
        assertThat(resolve(leaf("2-a", owned("t1", 1)), leaf("2-b", owned("t2", 1)))
                        .verdict())
                .isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(resolve(leaf("9-a", owned("t1", 1)), leaf("3-b", owned("t2", 2)))
                        .verdict())
                .isEqualTo(Resolution.Verdict.UNDECIDED);
    }

    @Test
    void two_leaves_of_one_claim_are_one_owner() {
        assertThat(settle(leaf("3-a", owned("t1", 1)), leaf("2-b", owned("t1", 1)))
                        .lost())
                .containsExactly("2-b");
    }

    @Test
    void an_owner_beside_an_end_stays_until_it_is_withdrawn() {
        ObjectNode ended = leaf("3-a", "'status':'success','fence':1");
        for (int fence : List.of(1, 2)) {
            assertThat(resolve(ended, leaf("7-b", owned("t2", fence))).verdict())
                    .isEqualTo(Resolution.Verdict.UNDECIDED);
        }
        assertThat(settle(ended, leaf("8-b", withdrawn("t2", 2, "the job has another leaf")))
                        .lost())
                .as("a withdrawn claim counts as what it was made on")
                .containsExactly("8-b");
        assertThat(settle(ended, leaf("8-b", withdrawn("t2", 2, "expired"))).lost())
                .as("whatever the reason")
                .containsExactly("8-b");
    }

    @Test
    void a_job_that_waits_for_its_retry_does_not_lose_it_to_a_claim_that_may_be_withdrawn() {
        ObjectNode stuck = leaf("3-a", "'status':'stuck','fence':1");
        assertThat(resolve(stuck, leaf("2-b", owned("t2", 1))).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(settle(stuck, leaf("3-b", withdrawn("t2", 1, ""))).lost()).containsExactly("3-b");
    }

    @Test
    void the_retry_of_a_run_that_failed_wins_against_the_expiry_of_another_claim() {
        ObjectNode stuck = leaf("3-a", "'status':'stuck','fence':1,'attempt':1");
        ObjectNode expired = leaf("3-b", waiting(1) + ",'attempt':1,'expirations':1");
        assertThat(settle(stuck, expired).lost()).containsExactly("3-b");
    }

    @Test
    void a_claim_on_a_retry_that_was_withdrawn_wins_against_the_expiry_of_an_earlier_claim() {
        ObjectNode expired = leaf("3-b", waiting(1) + ",'attempt':1,'expirations':1");
        assertThat(settle(leaf("4-a", withdrawn("t2", 2, "")), expired).lost()).containsExactly("3-b");
    }

    @Test
    void a_claim_that_a_removal_kept_from_making_an_owner_loses_to_it() {
        assertThat(settle(leaf("3-a", GONE + ",'fence':1"), leaf("4-b", withdrawn("t2", 2, "")))
                        .lost())
                .containsExactly("4-b");
    }

    @Test
    void the_end_of_an_owner_wins_against_a_failure_because_too_many_leases_ran_out() {
        ObjectNode failed = leaf("9-b", "'status':'failed','attempt':1,'fence':1,'expirations':1");
        assertThat(settle(leaf("3-a", ENDED), failed).lost()).containsExactly("9-b");
    }

    @Test
    void a_removed_job_does_not_rise_from_the_dead() {
        assertThat(settle(leaf("3-a", GONE + ",'fence':2"), leaf("3-b", waiting(1)))
                        .lost())
                .containsExactly("3-b");
        assertThat(settle(leaf("2-a", GONE), leaf("3-b", withdrawn("t1", 1, "")))
                        .lost())
                .containsExactly("3-b");
    }

    @Test
    void a_removal_does_not_wait_for_the_owner_of_an_earlier_claim() {
        assertThat(settle(leaf("3-a", GONE + ",'fence':2"), leaf("3-b", owned("t1", 1)))
                        .lost())
                .containsExactly("3-b");
    }

    @Test
    void a_claim_and_a_removal_at_the_same_moment_are_decided_when_the_claim_was_withdrawn_or_has_ended() {
        ObjectNode removed = leaf("2-a", GONE + ",'fence':1");
        assertThat(resolve(removed, leaf("2-b", owned("t1", 1))).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(settle(removed, leaf("3-b", withdrawn("t1", 1, ""))).lost()).containsExactly("3-b");
        assertThat(resolve(removed, leaf("3-b", ENDED)).verdict()).isEqualTo(Resolution.Verdict.SETTLED);
    }

    @Test
    void an_add_wins_against_a_removal_at_the_same_moment() {
        assertThat(resolve(leaf("3-a", GONE + ",'fence':2"), leaf("3-b", waiting(2)))
                        .verdict())
                .isEqualTo(Resolution.Verdict.SETTLED);
    }

    @Test
    void a_leaf_of_a_run_that_retention_deleted_is_not_run_again() {
        String retired = GONE + ",'status':'success','removedBy':'retention','fence':2";
        assertThat(settle(leaf("5-a", retired), leaf("4-b", waiting(2))).lost()).containsExactly("4-b");
        assertThat(settle(leaf("5-a", retired), leaf("6-b", withdrawn("t", 3, "the job has another leaf")))
                        .lost())
                .containsExactly("6-b");
        assertThat(resolve(leaf("5-a", retired), leaf("6-b", waiting(3))).verdict())
                .as("added again since")
                .isEqualTo(Resolution.Verdict.SETTLED);
    }

    @Test
    void a_job_that_waits_is_not_deleted_beside_an_owner_whose_withdrawal_may_have_been_on_another_leaf() {
        assertThat(resolve(leaf("9-a", owned("t", 6)), leaf("12-b", waiting(5))).verdict())
                .isEqualTo(Resolution.Verdict.UNDECIDED);
    }

    @Test
    void a_leaf_that_loses_to_a_removal_is_removed_as_well_for_the_copies_that_do_not_have_the_removal() {
        String retired = GONE + ",'status':'success','removedBy':'retention','fence':2";
        for (String removal : List.of(retired, GONE + ",'fence':2")) {
            ObjectNode gone = leaf("5-a", removal);
            ObjectNode tombstone =
                    settle(gone, leaf("4-b", waiting(1))).tombstones().get(0);
            assertThat(Leaf.of(tombstone).kind()).isEqualTo(Leaf.of(gone).kind());
            assertThat(Leaf.of(tombstone).fence()).isEqualTo(2);
            assertThat(Leaf.of(tombstone).isResolved()).isFalse();
        }
    }

    @Test
    void a_job_that_was_added_again_after_its_removal_stays() {
        Job finished = Jobs.inStatus(JobStatus.SUCCESS);
        Job again = Transitions.retry(finished, null, Jobs.NOW).write().orElseThrow();
        Resolution resolution = resolve(
                again.withRev("4-a").toDocument(),
                leaf("4-b", GONE + ",'status':'success','fence':" + finished.fence()));
        assertThat(resolution.verdict()).isEqualTo(Resolution.Verdict.SETTLED);
        assertThat(settle(leaf("9-a", WAITING), leaf("4-b", "'status':'success','fence':3"))
                        .lost())
                .containsExactly("4-b");
    }

    @Test
    void the_state_of_a_job_is_known_by_the_leaf_that_counts_once_nothing_is_to_be_resolved() {
        ObjectNode removed = leaf("2-a", GONE + ",'fence':1");
        assertThat(Resolution.settled(List.of(removed, leaf("3-b", ENDED))))
                .hasValueSatisfying(
                        leaf -> assertThat(leaf.path("_rev").asText()).isEqualTo("3-b"));
        assertThat(Resolution.settled(List.of(removed))).contains(removed);
        assertThat(Resolution.settled(List.of(leaf("2-a", WAITING), leaf("3-b", ENDED))))
                .as("two leaves")
                .isEmpty();
        assertThat(Resolution.settled(List.of(leaf("9-a", GONE + ",'fence':9,'resolved':{'at':1}"))))
                .as("a leaf that lost")
                .isEmpty();
        assertThat(Resolution.settled(List.of())).isEmpty();
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
        assertThat(unproven.verdict()).isEqualTo(Resolution.Verdict.CONFIRM);
        Job proof = unproven.winner().orElseThrow();
        assertThat(proof.rev()).contains("3-b");
        assertThat(proof.lock().flatMap(Lock::withdrawn).map(Lock.Withdrawal::at))
                .contains(Jobs.NOW);

        Settled settled = settle(mine, other);
        Job restored = settled.winner();
        assertThat(restored.status()).isEqualTo(JobStatus.WAITING);
        assertThat(restored.lock()).isEmpty();
        assertThat(restored.fence()).isEqualTo(4);
        assertThat(restored.attempt()).isZero();
        assertThat(settled.lost()).containsExactly("3-a");
    }

    @Test
    void a_claim_that_may_have_run_keeps_its_fence_when_it_is_taken_back() {
        Job restored = settle(leaf("3-b", withdrawn("t2", 5, "expired"))).winner();
        assertThat(restored.status()).isEqualTo(JobStatus.WAITING);
        assertThat(restored.fence()).isEqualTo(5);
        assertThat(restored.expirations()).isEqualTo(1);
    }

    @Test
    void an_owner_beside_a_claim_of_the_same_fence_that_expired_stays_until_it_is_known_what_became_of_it() {
        ObjectNode expired = leaf("3-b", withdrawn("t2", 1, "expired"));
        assertThat(resolve(leaf("9-a", owned("t1", 1)), expired).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        Job winner =
                settle(leaf("9-a", withdrawn("t1", 1, "no quorum")), expired).winner();
        assertThat(Fences.next(winner))
                .as("of two claims with the fence 1 one may have run")
                .isGreaterThan(1);
    }

    @Test
    void a_claim_that_was_withdrawn_on_one_leaf_owns_the_job_by_none() {
        Job winner = settle(leaf("4-k", owned("t1", 1)), leaf("3-b", withdrawn("t1", 1, "no quorum")))
                .winner();
        assertThat(winner.status()).isEqualTo(JobStatus.WAITING);
        assertThat(winner.fence()).isZero();
    }

    @Test
    void the_next_claim_has_a_greater_fence_than_one_that_expired_on_another_leaf() {
        Job winner = settle(leaf("3-a", waiting(4)), leaf("3-b", withdrawn("t2", 5, "expired")))
                .winner();
        assertThat(winner.status()).isEqualTo(JobStatus.WAITING);
        assertThat(Fences.next(winner)).isGreaterThan(5);
    }

    @Test
    void a_document_that_cannot_be_a_job_never_wins_against_one_that_can() {
        assertThat(settle(leaf("9-a", "'status':'nonsense','fence':99"), leaf("2-b", WAITING))
                        .lost())
                .containsExactly("9-a");
    }

    @Test
    void a_job_that_is_created_late_on_a_losing_leaf_does_not_win_against_the_run_that_it_knows_nothing_of() {
        ObjectNode late = branch(WAITING, "e", "t", "b");
        assertThat(settle(late, branch(ENDED, "z", "c", "a")).lost()).containsExactly("3-e");
        assertThat(settle(late, branch("'status':'stuck','attempt':1,'fence':1", "z", "c", "a"))
                        .lost())
                .containsExactly("3-e");
        assertThat(settle(branch(WAITING, "e", "t", "w", "l", "a"), branch(ENDED, "z", "c", "a"))
                        .lost())
                .containsExactly("5-e");
    }

    @Test
    void a_claim_of_what_was_created_late_ends_nobodys_run_and_nobodys_end() {
        ObjectNode late = branch(owned("t2", 3), "c", "e", "t", "b");
        assertThat(resolve(late, branch(ENDED, "z", "k", "a")).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(resolve(late, branch(owned("t1", 1), "k", "a")).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        ObjectNode taken = branch(withdrawn("t2", 3, "the job has another leaf"), "w", "c", "e", "t", "b");
        assertThat(resolve(taken, branch(owned("t1", 1), "k", "a")).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        assertThat(settle(taken, branch(ENDED, "z", "k", "a")).lost()).containsExactly("5-w");
    }

    @Test
    void a_job_that_was_added_after_its_removal_wins_against_the_end_of_the_run_that_was_removed() {
        ObjectNode again = branch(WAITING, "e", "r", "x", "c", "a");
        assertThat(settle(again, branch(ENDED, "z", "y", "c", "a")).lost()).containsExactly("4-z");
    }

    @Test
    void a_job_that_was_added_after_its_removal_may_build_on_a_leaf_that_had_lost() {
        ObjectNode again = branch(WAITING, "e", "t", "w", "l", "a");
        ObjectNode removed = branch(GONE + ",'fence':2", "r", "c", "a");
        assertThat(settle(again, removed, branch(ENDED, "z", "c", "a")).lost()).containsExactly("3-z");
    }

    @Test
    void a_change_stands_when_no_leaf_counts_more_but_those_that_were_written_on_top_of_it() {
        String retried = waiting(2) + ",'attempt':1";
        Job change = Job.parse(leaf("4-d", retried));
        ObjectNode itself = branch(retried, "d", "c", "b", "a");
        ObjectNode later = branch(owned("t", 3), "e", "d", "c", "b", "a");
        ObjectNode lost = branch(GONE + ",'fence':9,'resolved':{'at':1}", "f", "y", "x", "a");
        for (ObjectNode less :
                List.of(branch(ENDED, "z", "y", "x", "a"), branch(waiting(1), "z", "y", "x", "a"), lost)) {
            assertThat(Resolution.stands(change, List.of(itself, less))).isTrue();
            assertThat(Resolution.stands(change, List.of(less, later))).isTrue();
        }
        for (String more : List.of("'status':'success','attempt':1,'fence':2", waiting(3), GONE + ",'fence':3")) {
            assertThat(Resolution.stands(change, List.of(itself, branch(more, "z", "y", "x", "a"))))
                    .as(more)
                    .isFalse();
        }
    }

    @Test
    void a_change_of_a_leaf_that_was_created_apart_from_a_run_does_not_stand() {
        ObjectNode ended = branch("'status':'success','attempt':1,'fence':1", "e", "c", "x");
        ObjectNode changed = branch(WAITING, "d", "late", "z", "y");
        assertThat(settle(ended, changed).lost()).containsExactly("4-d");
        assertThat(Resolution.stands(Job.parse(leaf("4-d", WAITING)), List.of(ended, changed)))
                .isFalse();
    }

    @Test
    void a_change_of_a_leaf_that_the_end_of_an_owner_will_outweigh_does_not_stand() {
        ObjectNode running = branch(owned("t", 1), "c", "x");
        ObjectNode changed = branch(WAITING, "d", "late", "z", "y");
        assertThat(Resolution.stands(Job.parse(leaf("4-d", WAITING)), List.of(running, changed)))
                .isFalse();
    }

    @Test
    void a_cancellation_does_not_stand_beside_an_owner_whatever_their_fences() {
        String cancelled = "'status':'cancelled','attempt':1,'fence':4";
        Job written = Job.parse(leaf("4-d", cancelled));
        ObjectNode itself = branch(cancelled, "d", "c", "b", "a");
        assertThat(Resolution.stands(written, List.of(itself, branch(owned("t", 2), "z", "y", "a"))))
                .isFalse();
        assertThat(Resolution.stands(written, List.of(itself, branch(withdrawn("t", 2, "no quorum"), "z", "y", "a"))))
                .isTrue();
    }

    @Test
    void a_request_for_another_run_stands_until_a_later_claim_and_a_claim_only_until_an_end() {
        String resubmitted = owned("t", 2) + ",'resubmit':{'at':3}";
        Job asked = Job.parse(leaf("3-d", resubmitted));
        Job claimed = Job.parse(leaf("3-d", owned("t", 2)));
        ObjectNode sibling = branch(withdrawn("u", 2, "no quorum"), "z", "y", "a");
        ObjectNode later = branch(owned("v", 3), "z", "y", "a");
        ObjectNode ended = branch("'status':'success','attempt':1,'fence':2", "z", "y", "a");
        for (Job written : List.of(asked, claimed)) {
            assertThat(Resolution.stands(written, List.of(sibling))).isTrue();
            assertThat(Resolution.stands(written, List.of(later))).isFalse();
        }
        assertThat(Resolution.stands(asked, List.of(ended))).isTrue();
        assertThat(Resolution.stands(claimed, List.of(ended))).isFalse();
    }
}

package io.couchjobs.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What was asked of a job on a leaf that loses is not forgotten. */
class RequestsOnLosingLeavesTest extends ResolvedLeaves {
    /** On an owned leaf: somebody asked its owner for another run, 8 ms after {@code Jobs.past(0)}. */
    private static final String WISH =
            ",'resubmit':{'scheduledTime':1500000000007},'times':{'claimed':1500000000000,'resubmitted':1500000000008}";

    @Test
    void a_wish_on_a_claim_that_was_withdrawn_counts_more_than_the_deletion_of_the_same_run_by_retention() {
        String retired = GONE + ",'status':'success','removedBy':'retention','fence':1";
        String asked = ",'resubmit':{'scheduledTime':1500000000007}";
        Job winner = settle(leaf("4-a", retired), leaf("6-b", withdrawn("t", 1, "no quorum") + asked))
                .winner();
        assertThat(winner.status()).isEqualTo(JobStatus.WAITING);
        assertThat(winner.fence()).isEqualTo(2);
        assertThat(resolve(leaf("4-a", retired), leaf("6-b", owned("t", 1) + asked))
                        .verdict())
                .as("the owner that is asked may be none")
                .isEqualTo(Resolution.Verdict.UNDECIDED);
    }

    @Test
    void a_cancel_request_on_a_losing_leaf_reaches_the_owner() {
        ObjectNode loser = leaf("3-b", withdrawn("t2", 1, "") + ",'cancelRequested':true");
        Job winner = settle(leaf("2-a", owned("t1", 1)), loser).winner();
        assertThat(winner.isCancelRequested()).isTrue();
        assertThat(winner.isLockedBy("t1")).isTrue();
    }

    /** Its document has no fence until it is claimed. */
    @Test
    void a_cancellation_does_not_reach_a_job_that_was_removed_and_added_anew_elsewhere() {
        ObjectNode addedAnew = leaf("5-z", WAITING);
        for (ObjectNode cancelled : List.of(
                leaf("2-c", "'status':'cancelled','fence':1"),
                leaf("3-c", waiting(2) + ",'endAs':'cancelled'"),
                leaf("6-c", withdrawn("t1", 3, "expired") + ",'cancelRequested':true"))) {
            Job winner = settle(cancelled, addedAnew).winner();
            assertThat(winner.status()).isEqualTo(JobStatus.WAITING);
            assertThat(EndAs.of(winner)).isEmpty();
        }
    }

    @Test
    void a_wish_on_a_losing_leaf_of_the_same_claim_reaches_the_owner() {
        ObjectNode asked = leaf("6-a", owned("t1", 1) + WISH);
        for (String winner : List.of("6-b", "7-b")) {
            Settled settled = settle(asked, leaf(winner, owned("t1", 1)));
            assertThat(settled.lost()).containsExactly("6-a");
            assertThat(settled.winner().document().path("resubmit"))
                    .isEqualTo(Job.parse(asked).document().path("resubmit"));
            assertThat(settled.winner().times()).containsEntry("resubmitted", Jobs.past(8));
        }
    }

    @Test
    void an_update_by_the_owner_is_not_lost_to_a_request_that_was_made_at_the_same_moment() {
        String before = owned("t1", 1) + ",'data':{'page':1},'times':{'claimed':1500000000000,'updated':1500000000001}";
        String after = owned("t1", 1)
                + ",'data':{'page':2},'progress':{'percent':9},'times':{'claimed':1500000000000,'updated':1500000000009}";
        ObjectNode asked = leaf("9-b", before + ",'cancelRequested':true");

        Job winner = settle(asked, leaf("6-a", after)).winner();

        assertThat(winner.isCancelRequested()).isTrue();
        assertThat(winner.data().path("page").asInt()).isEqualTo(2);
        assertThat(winner.progress()).isPresent();
        assertThat(winner.times()).containsEntry("updated", Jobs.past(9));
        String others = after.replace(owned("t1", 1), withdrawn("t2", 1, "no quorum"));
        assertThat(settle(asked, leaf("6-a", others))
                        .winner()
                        .data()
                        .path("page")
                        .asInt())
                .as("nothing is taken over from another claim")
                .isEqualTo(1);
    }

    @Test
    void a_wish_of_a_first_claim_is_not_outweighed_by_the_end_of_a_sibling() {
        ObjectNode asked = branch(withdrawn("t2", 1, "no quorum") + WISH, "b", "s", "x");
        ObjectNode ended = branch(ENDED, "a", "r", "x");
        assertThat(settle(asked, ended).winner().status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_wish_that_was_dropped_by_a_later_cancel_request_stays_dropped() {
        ObjectNode asked = leaf("6-a", owned("t1", 1) + WISH);
        for (int cancelled : List.of(9, 7)) {
            ObjectNode winner = leaf(
                    "6-b",
                    owned("t1", 1) + ",'cancelRequested':true,'times':{'cancelRequested':"
                            + Jobs.past(cancelled).toEpochMilli() + "}");
            assertThat(settle(asked, winner).winner().isResubmitted()).isEqualTo(cancelled < 8);
        }
    }

    @Test
    void a_cancel_and_a_claim_of_the_same_moment_are_decided_when_the_claim_was_withdrawn_or_has_ended() {
        ObjectNode waiting = leaf("1-x", WAITING);
        ObjectNode cancelled = Transitions.cancel(Job.parse(waiting), null, Jobs.NOW)
                .write()
                .orElseThrow()
                .withRev("2-a")
                .toDocument();
        Job claim = Transitions.claim(Job.parse(waiting), "t1", "w", true, Jobs.NOW)
                .write()
                .orElseThrow()
                .withRev("2-b");
        assertThat(resolve(cancelled, claim.toDocument()).verdict()).isEqualTo(Resolution.Verdict.UNDECIDED);
        Job withdrawn = ClusterTransitions.withdraw(claim, "no quorum", Jobs.NOW)
                .write()
                .orElseThrow();
        assertThat(settle(cancelled, withdrawn.withRev("3-b").toDocument()).lost())
                .containsExactly("3-b");
        Job done = Transitions.finish(claim, null, null, Jobs.NOW).write().orElseThrow();
        assertThat(settle(cancelled, done.withRev("3-b").toDocument()).lost()).containsExactly("2-a");
    }

    @Test
    void a_job_that_was_added_again_on_a_losing_leaf_is_run_once_more() {
        ObjectNode loser = leaf("3-b", withdrawn("t1", 1, "expired") + ",'resubmit':{'scheduledTime':1500000000007}");
        Job winner = settle(leaf("4-a", "'status':'success','fence':1"), loser).winner();
        assertThat(winner.status()).isEqualTo(JobStatus.WAITING);
        assertThat(winner.scheduledTime()).isEqualTo(Jobs.past(7));
        assertThat(winner.fence()).isEqualTo(2);
    }

    /** That end may be on a copy that was not read: its fence is that of the run. */
    @Test
    void a_wish_on_a_losing_leaf_wins_against_the_end_of_the_run_that_it_was_asked_of() {
        ObjectNode asked = leaf("3-b", withdrawn("t2", 1, "expired") + ",'resubmit':{'scheduledTime':1500000000007}");
        for (String winner : List.of(
                withdrawn("t1", 1, "no quorum"),
                waiting(0),
                waiting(1),
                waiting(1) + ",'scheduledTime':1500000000007")) {
            ObjectNode again = settle(leaf("9-z", winner), asked).winner().toDocument();
            assertThat(settle(again, leaf("5-e", ENDED)).lost()).as(winner).containsExactly("5-e");
        }
    }

    /** The end of the run was stored twice: once as it was first, and once with what was added meanwhile. */
    @Test
    void an_add_during_the_run_is_not_forgotten_for_an_end_that_did_not_know_of_it() {
        Job running = Job.parse(leaf("2-a", owned("t1", 1)));
        Job end = Transitions.finish(running, null, null, Jobs.NOW).write().orElseThrow();
        Job flagged = Transitions.resubmit(running, Jobs.NOW, null, Jobs.NOW)
                .write()
                .orElseThrow()
                .withRev("3-f");
        Job again = Transitions.finish(flagged, null, null, Jobs.NOW).write().orElseThrow();
        assertThat(settle(end.withRev("3-e").toDocument(), again.withRev("4-w").toDocument())
                        .lost())
                .containsExactly("3-e");
    }

    /** A run of a worker that was cut off ends there, while the others have taken the job back and somebody wants it otherwise. */
    @Test
    void a_wish_of_a_creator_wins_against_the_end_of_a_run_that_nobody_confirmed() {
        Job running = Job.parse(leaf("2-a", owned("t1", 1)));
        ObjectNode end = Transitions.finish(running, null, null, Jobs.NOW)
                .write()
                .orElseThrow()
                .withRev("3-e")
                .toDocument();
        Job expired = Transitions.expire(running, OptionalInt.empty(), Jobs.NOW)
                .write()
                .orElseThrow()
                .withRev("3-x");
        JobRequest request = JobRequest.builder("email")
                .id("42")
                .data(Map.of())
                .scheduledTime(Jobs.NOW.plusSeconds(60))
                .build();
        for (Decision wish : List.of(
                Transitions.add(expired, request, false, Jobs.NOW),
                Transitions.cancel(expired, null, Jobs.NOW),
                Transitions.retry(expired, null, Jobs.NOW),
                Transitions.resubmit(expired, Jobs.NOW.plusSeconds(60), null, Jobs.NOW))) {
            assertThat(settle(end, wish.write().orElseThrow().withRev("4-w").toDocument())
                            .lost())
                    .containsExactly("3-e");
        }
    }
}

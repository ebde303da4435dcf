package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What creators are told where a write can be stored without a quorum, and a job have several leaves. */
@ServerTest
class ChangesOnClustersTest extends QueueOnPretendedCluster {
    @Test
    void a_new_job_without_a_quorum_that_readers_see_is_added() {
        cluster.acceptStored(1, doc -> true);
        assertThat(queue.add(request("1")).outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(cluster.sent()).as("nothing was sent twice").hasSize(1);
    }

    @Test
    void a_change_without_a_quorum_is_done_when_a_quorum_confirms_the_job_as_it_is_then() {
        add("1");
        cluster.acceptStored(2, doc -> true);
        Job changed = queue.reschedule("email", "1", Jobs.past(7));
        assertThat(changed.scheduledTime()).isEqualTo(Jobs.past(7));
        assertThat(changed.rev()).isEqualTo(job().rev());
        assertThat(cluster.sent())
                .as("the change, and two attempts to confirm it")
                .hasSize(3);
        assertThat(queue.cancel("email", "1", CancelMode.IF_QUEUED)).isEqualTo(CancelResult.CANCELLED);
    }

    @Test
    void a_change_that_no_quorum_ever_confirms_is_not_reported_as_done() {
        add("1");
        cluster.acceptStored(1000, doc -> true);
        assertThatThrownBy(() -> queue.cancel("email", "1", CancelMode.IF_QUEUED))
                .isInstanceOf(UnconfirmedException.class)
                .hasMessageContaining("email:1")
                .hasMessageContaining("Make the change again");
    }

    @Test
    void a_change_without_a_quorum_that_has_lost_by_now_is_made_again_on_what_has_won() throws Exception {
        add("1");
        cluster.acceptInVain(1, doc -> true);
        assertThat(queue.cancel("email", "1", CancelMode.REQUEST)).isEqualTo(CancelResult.CANCELLED);
        assertThat(job().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void a_removal_without_a_quorum_is_done_when_a_majority_of_the_copies_has_it() {
        add("1");
        cluster.acceptStored(1, doc -> doc.path("_deleted").asBoolean());
        queue.remove("email", "1");
        assertThat(others.get("email", "1")).isEmpty();
        assertThat(cluster.sent()).as("nothing is written on top of it").hasSize(1);
    }

    @Test
    void a_removal_that_no_quorum_ever_confirms_is_not_reported_as_done() {
        add("1");
        cluster.acceptStored(1000, doc -> true);
        proxy.loseRequests(1000, request -> request.toString().contains("couchjobs-probe"));
        assertThatThrownBy(() -> queue.remove("email", "1")).isInstanceOf(UnconfirmedException.class);
        assertThat(others.get("email", "1")).isEmpty();
    }

    @Test
    void a_caller_that_is_interrupted_while_a_removal_goes_on_hears_that_it_may_be_stored() {
        add("1");
        cluster.acceptStored(1000, doc -> doc.path("_deleted").asBoolean());
        proxy.loseRequests(1000, request -> request.toString().contains("couchjobs-probe"));
        interruptAt(request -> request.body().contains("_deleted"));
        assertThatThrownBy(() -> queue.remove("email", "1"))
                .hasMessageContaining("email:1; the change may have been stored");
    }

    /** Interrupts the caller, whose next pause ends by that. */
    private void interruptAt(Predicate<Proxy.Request> which) {
        Thread caller = Thread.currentThread();
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean goes(Proxy.Request request) {
                if (which.test(request)) {
                    caller.interrupt();
                }
                return true;
            }
        });
    }

    @Test
    void without_a_majority_in_reach_nobody_is_told_that_a_job_is_missing() {
        proxy.loseRequests(1000, request -> request.toString().contains("couchjobs-probe"));
        assertThatThrownBy(() -> queue.remove("email", "1")).isInstanceOf(UnconfirmedException.class);
        assertThatThrownBy(() -> queue.cancel("email", "1", CancelMode.REQUEST))
                .isInstanceOf(UnconfirmedException.class);
        assertThatThrownBy(() -> queue.reschedule("email", "1", Instant.now()))
                .isInstanceOf(UnconfirmedException.class);
    }

    @Test
    void a_job_whose_owner_died_is_cancelled_by_a_claim() {
        others.database()
                .put(Jobs.json(
                        "{'_id':'job:email:1','status':'waiting','data':{},'attempt':1,'expirations':1,'fence':1,"
                                + "'times':{'created':1,'claimed':2,'started':2,'expired':3}}"));
        assertThat(queue.cancel("email", "1", CancelMode.IF_QUEUED)).isEqualTo(CancelResult.CANCELLED);
        assertThat(job().status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(job().fence()).as("that of the claim").isEqualTo(2);
        assertThat(cluster.claims()).isEqualTo(1);
    }

    @Test
    void creators_wait_for_a_majority_that_is_out_of_reach_for_a_moment() {
        add("1");
        Lost first = proxy.loseRequests(2, request -> request.toString().contains("couchjobs-probe"));
        assertThat(queue.cancel("email", "1", CancelMode.IF_QUEUED)).isEqualTo(CancelResult.CANCELLED);
        assertThat(first.count()).as("probes that were lost").isEqualTo(2);

        Lost later = proxy.loseRequests(2, request -> request.toString().contains("couchjobs-probe"));
        assertThatThrownBy(() -> queue.cancel("email", "other", CancelMode.REQUEST))
                .isInstanceOf(NotFoundException.class);
        assertThat(later.count()).as("probes that were lost").isEqualTo(2);
    }

    @Test
    void a_creators_write_without_a_quorum_that_went_nowhere_is_made_again() {
        cluster.acceptInVain(1, doc -> true);
        assertThat(queue.add(request("1")).outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(job().status()).isEqualTo(JobStatus.WAITING);
        cluster.acceptInVain(1, doc -> true);
        assertThat(queue.insertIfNew(request("2"))).isTrue();
        assertThat(others.get("email", "2")).isPresent();
    }

    @Test
    void an_insert_without_a_quorum_that_went_nowhere_is_made_again() {
        cluster.acceptInVain(1, doc -> true);
        assertThat(queue.insert(request("9")).id().id()).isEqualTo("9");
        cluster.acceptInVain(1, doc -> true);
        assertThat(queue.insert(List.of(request("10"))))
                .extracting(AddResult::outcome)
                .containsExactly(AddResult.Outcome.ADDED);
        assertThat(List.of("9", "10")).allMatch(id -> others.get("email", id).isPresent());
    }

    @Test
    void an_insert_that_no_copy_in_reach_has_is_not_said_to_exist() {
        cluster.acceptInVain(1000, doc -> true);
        assertThatThrownBy(() -> queue.insert(request("9"))).isInstanceOf(UnconfirmedException.class);
        assertThat(queue.insert(List.of(request("10"))).get(0).problem()).contains("no majority of the copies");
    }

    @Test
    void the_loser_of_two_inserts_at_the_same_time_hears_of_it() {
        cluster.acceptInVain(1, doc -> true);
        others.add(JobRequest.builder("email").id("1").data(Map.of("n", 5)).build());
        assertThatThrownBy(() -> queue.insert(request("1"))).isInstanceOf(DuplicateJobException.class);
        cluster.acceptInVain(1, doc -> true);
        assertThat(queue.insertIfNew(request("1"))).isFalse();
    }

    @Test
    void removing_a_job_removes_all_its_leaves() throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server's _bulk_get has the winning leaf only");
        add("1");
        Replicated.into(database, leaf(job(), "1-" + HASH, "rival"), leaf(job(), "1-" + "f".repeat(32), "other"));
        cluster.acceptStored(1, doc -> doc.path("_deleted").asBoolean());
        queue.remove("email", "1");
        assertThat(others.get("email", "1")).isEmpty();
        assertThat(others.database().leaves("job:email:1")).hasSize(3).allMatch(leaf -> leaf.path("_deleted")
                .asBoolean());
    }
}

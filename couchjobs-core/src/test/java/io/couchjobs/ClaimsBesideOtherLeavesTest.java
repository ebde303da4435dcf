package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A claim that a quorum confirmed is an owner's only where the job has no other leaf; who must ask, and what it costs. */
@ServerTest
class ClaimsBesideOtherLeavesTest extends ProxiedQueue {
    private final PretendedCluster cluster = new PretendedCluster();

    @Override
    protected Proxy.Detour detour() {
        return cluster;
    }

    @Test
    void a_confirmed_claim_beside_another_leaf_owns_nothing_and_is_withdrawn() throws Exception {
        assumeThatAllLeavesCanBeRead();
        others.add(request("1"));
        beforeTheLeavesAreRead(this::secondLeaf);
        List<ClaimedJob> owned = claims();
        TestQueue.until(() -> cluster.sawWithdrawal("another leaf"));
        assertThat(owned).noneMatch(claim -> cluster.sawWithdrawalOf(claim.token()));
    }

    @Test
    void a_job_that_had_two_leaves_is_run_when_it_has_one() throws Exception {
        assumeThatAllLeavesCanBeRead();
        others.add(request("1"));
        beforeTheLeavesAreRead(this::secondLeaf);
        ClaimedJob claim = queue.accept(AcceptOptions.of("email")).get(0);
        assertThat(cluster.sawWithdrawal("another leaf")).isTrue();
        assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(others.database().leaves("job:email:1").stream()
                        .filter(leaf -> !leaf.path("_deleted").asBoolean()))
                .hasSize(1);
    }

    @Test
    void a_job_that_was_removed_after_a_later_run_and_came_back_from_an_old_copy_is_not_run() throws Exception {
        assumeThatAllLeavesCanBeRead();
        others.add(request("1"));
        beforeTheLeavesAreRead(() -> Replicated.into(database, tombstone(3)));
        assertThat(claims()).isEmpty();
        TestQueue.until(() -> others.get("email", "1").isEmpty());
    }

    @Test
    void a_tombstone_of_an_earlier_run_does_not_count() throws Exception {
        others.add(request("1"));
        others.reschedule("email", "1", Instant.now().plusSeconds(60));
        others.add(request("1"));
        beforeTheLeavesAreRead(() -> Replicated.into(database, tombstone(0)));
        assertThat(queue.accept(AcceptOptions.of("email").timeout(TestQueue.INDEX_LAG)))
                .hasSize(1);
    }

    /** A quarter of all contended claims on a healthy cluster: one was told 201, the other 202. */
    @Test
    void a_confirmed_claim_owns_the_job_beside_another_claim_of_the_same_revision() throws Exception {
        assumeThatAllLeavesCanBeRead();
        String base = others.add(request("1")).job().orElseThrow().rev().orElseThrow();
        beforeTheLeavesAreRead(() -> Replicated.into(database, siblingClaim(base)));
        List<ClaimedJob> claims = claims();
        assertThat(claims).hasSize(1);
        assertThat(claims.get(0).finish().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_request_to_the_owner_right_after_the_claim_makes_no_other_leaf() throws Exception {
        others.add(request("1"));
        beforeTheLeavesAreRead(() -> others.cancel("email", "1", CancelMode.REQUEST));
        assertThat(claims()).hasSize(1);
    }

    @Test
    void a_claim_whose_leaves_nobody_can_read_owns_nothing_and_is_withdrawn() throws Exception {
        others.add(request("1"));
        Lost lost = proxy.loseAnswers(100, ClaimsBesideOtherLeavesTest::readsLeaves);
        assertThat(claims()).isEmpty();
        assertThat(lost.count()).isPositive();
        TestQueue.until(() -> cluster.sawWithdrawal("nobody could tell in time whether the claim made an owner"));
    }

    @Test
    void a_job_whose_id_couchjobs_made_is_claimed_for_the_first_time_without_another_request() throws Exception {
        others.addAll(
                Stream.generate(() -> JobRequest.of("email", Map.of())).limit(3).toList());
        assertThat(readingsOfClaiming(3)).isZero();
    }

    @Test
    void jobs_with_chosen_ids_cost_one_request_for_all_that_are_claimed_together() throws Exception {
        others.addAll(Stream.of("1", "2", "3").map(id -> request(id)).toList());
        assertThat(readingsOfClaiming(3)).isEqualTo(1);
    }

    @Test
    void a_job_that_was_changed_costs_a_request_whatever_its_id() throws Exception {
        JobId id = others.add(JobRequest.of("email", Map.of())).id();
        others.setPriority("email", id.id(), 7);
        assertThat(readingsOfClaiming(1)).isEqualTo(1);
    }

    @Test
    void a_job_that_was_put_back_from_a_copy_costs_a_request_whatever_its_id() throws Exception {
        others.database()
                .put(Jobs.json("{'_id':'job:email:" + UUID.randomUUID() + "','status':'waiting','data':{},'fence':3}"));
        assertThat(readingsOfClaiming(1)).isEqualTo(1);
    }

    @Test
    @NeedsOneCopy("leaves are read")
    void with_one_copy_nobody_reads_leaves() throws Exception {
        PretendedCluster counter = new PretendedCluster();
        try (Proxy plain = Proxy.before(database.server());
                JobQueue single = TestQueue.open(plain.door(database))) {
            plain.detour(new Proxy.Detour() {
                @Override
                public boolean goes(Proxy.Request request) {
                    return counter.goes(request);
                }
            });
            others.add(request("1"));
            assertThat(single.accept(AcceptOptions.of("email"))).hasSize(1);
            assertThat(counter.requests()).noneMatch(line -> line.contains("_bulk_get"));
        }
    }

    @Test
    void a_request_with_an_id_of_its_own_writes_the_same_bytes_however_often_it_is_added() {
        JobRequest request = JobRequest.of("email", Map.of());
        Lost lost = proxy.loseRequests(4, Proxy.Request::isBulkWrite);
        assertThatThrownBy(() -> queue.add(request)).isInstanceOf(RuntimeException.class);
        assertThat(lost.count()).isEqualTo(4);
        cluster.acceptInVain(1, doc -> true);
        queue.add(request);
        assertThat(cluster.sent()).hasSizeGreaterThan(5);
        assertThat(cluster.sent().stream().distinct()).hasSize(1);
    }

    private long readingsOfClaiming(int jobs) throws InterruptedException {
        List<ClaimedJob> claims = queue.accept(AcceptOptions.of("email").max(jobs));
        assertThat(claims).hasSize(jobs);
        return cluster.requests().stream()
                .filter(line -> line.contains("_bulk_get"))
                .count();
    }

    private List<ClaimedJob> claims() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
    }

    private static JobRequest request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of()).build();
    }

    /** As another creator leaves it, who added the job at the same moment. */
    private void secondLeaf() throws Exception {
        ObjectNode leaf = others.get("email", "1").orElseThrow().toDocument();
        leaf.remove("lock");
        Replicated.into(database, leaf.put("status", "waiting").put("_rev", "1-" + "e".repeat(32)));
    }

    private static ObjectNode siblingClaim(String base) {
        ObjectNode claim = Jobs.json("{'_id':'job:email:1'," + Replicated.owned("other", "t2", 1) + "}");
        claim.putObject("_revisions")
                .put("start", 2)
                .putArray("ids")
                .add("c".repeat(32))
                .add(base.substring(2));
        return claim;
    }

    private static ObjectNode tombstone(int fence) {
        ObjectNode tombstone = JsonNodeFactory.instance.objectNode().put("_id", "job:email:1");
        return tombstone
                .put("_rev", "1-" + "d".repeat(32))
                .put("_deleted", true)
                .put("fence", fence);
    }

    private void assumeThatAllLeavesCanBeRead() {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server's _bulk_get has the winning leaf only");
    }

    private static boolean readsLeaves(Proxy.Request request) {
        return request.toString().contains("_bulk_get");
    }

    @FunctionalInterface
    private interface Deed {
        void happen() throws Exception;
    }

    private void beforeTheLeavesAreRead(Deed deed) {
        AtomicBoolean done = new AtomicBoolean();
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean goes(Proxy.Request request) {
                if (readsLeaves(request) && !done.getAndSet(true)) {
                    try {
                        deed.happen();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
                return true;
            }
        });
    }
}

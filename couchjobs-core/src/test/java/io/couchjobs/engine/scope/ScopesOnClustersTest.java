package io.couchjobs.engine.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.scope.Submission;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lists and counts of a cluster are from one copy, which may not have the last change yet. */
@ServerTest
@Timeout(120)
class ScopesOnClustersTest {
    private static final Scope ONE = Scope.of("index", "1");

    private final AtomicInteger oldCounts = new AtomicInteger();
    private final AtomicInteger lists = new AtomicInteger();
    private volatile boolean listsAreOld;
    private volatile String emptyList = "";
    private volatile String lastCount = "";
    private PretendedCluster cluster;
    private Proxy proxy;
    private JobQueue queue;
    private Scopes scopes;

    @BeforeEach
    void open(TestDatabase server) {
        proxy = Proxy.before(server.server());
        cluster = new PretendedCluster() {
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                String path = request.uri().getPath();
                if (path.endsWith("/_all_docs") && request.body().contains("\"start_key\":\"scope:")) {
                    lists.incrementAndGet();
                    emptyList = emptyList.isEmpty() ? answer : emptyList;
                    return listsAreOld ? emptyList : answer;
                }
                if (path.endsWith("/_view/status") && request.body().contains("\"start_key\":[\"index@1\"]")) {
                    lastCount = oldCounts.getAndDecrement() > 0 ? lastCount : answer;
                    return lastCount;
                }
                return super.rewrites(request, answer);
            }
        };
        proxy.detour(cluster);
        queue = TestQueue.open(proxy.door(server));
        scopes = queue.scopes();
    }

    @AfterEach
    void close() {
        proxy.clear();
        queue.close();
        proxy.close();
    }

    private static JobRequest page() {
        return JobRequest.builder("index").data(Map.of()).build();
    }

    @Test
    void a_job_for_all_scopes_of_a_type_goes_to_one_that_this_process_has_just_started() {
        assertThat(scopes.list("index")).isEmpty();
        listsAreOld = true;
        var unused0 = scopes.start(ONE, new ScopeConfig(Optional.empty(), OptionalInt.of(7), Set.of()));
        assertThat(scopes.submit("index", page()).answers()).containsExactly(Map.entry(ONE, Submission.Answer.OK));
        var unused1 = scopes.start(Scope.of("index", "2"));
        assertThat(scopes.state(Scope.of("index", "2")).orElseThrow().config().queueLimit())
                .isEqualTo(7);
    }

    @Test
    void a_list_shows_as_stopped_what_this_process_has_just_stopped() {
        var unused0 = scopes.start(ONE);
        assertThat(scopes.list("index")).allMatch(Scopes.State::isRunning);
        var later = new ScopeStore(Stores.of(queue.database()));
        later.stop(ONE, Duration.ZERO);
        listsAreOld = true;
        assertThat(later.readAll("index")).singleElement().returns(false, Scopes.State::isRunning);
    }

    @Test
    void a_stop_ends_soon_though_the_copy_that_counts_is_behind() throws Exception {
        var unused0 = scopes.start(ONE);
        var unused1 = scopes.submit(ONE, page());
        assertThat(scopes.stats(ONE).queued()).isEqualTo(1);
        oldCounts.set(5);
        assertThat(scopes.stop(ONE, Duration.ofHours(1))).isTrue();
    }

    @Test
    void a_job_that_the_copy_which_counts_did_not_have_when_its_scope_was_stopped_is_cancelled_later()
            throws Exception {
        var unused0 = scopes.start(ONE);
        ScopeService<ObjectNode> elsewhere = ScopeService.of("index", ObjectNode.class, (data, context) -> null);
        try (Scopes.Host host = scopes.serve(elsewhere.only(scope -> false))) {
            TestQueue.until(() -> lists.get() == 3); // of the start, and twice of the host
            assertThat(scopes.stats(ONE).queued()).isZero();
            String id = scopes.submit(ONE, page()).id();
            oldCounts.set(1);
            new ScopeStore(Stores.of(queue.database())).stop(ONE, Duration.ZERO);
            TestQueue.until(() -> queue.get("index@1", id).orElseThrow().status() == JobStatus.CANCELLED);
            assertThat(host.scopes()).isEmpty();
        }
    }

    @Test
    void a_stop_cancels_the_job_of_a_dead_owner_by_a_claim() {
        var unused0 = scopes.start(ONE);
        addOfDeadOwner();
        scopes.stop(ONE);
        assertThat(job().status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(cluster.claims()).isEqualTo(1);
    }

    @Test
    void a_stop_leaves_the_job_of_a_dead_owner_that_cannot_be_claimed_to_the_next_claim() {
        var unused0 = scopes.start(ONE);
        addOfDeadOwner();
        cluster.acceptInVain(100, doc -> doc.path("lock").has("token"));
        scopes.stop(ONE);
        assertThat(job().status()).isEqualTo(JobStatus.WAITING);
        assertThat(job().document().path("endAs").asText()).isEqualTo("cancelled");
    }

    @Test
    void a_job_that_a_claim_cancels_did_not_run_and_counts_as_cancelled() {
        var unused0 = scopes.start(ONE);
        addOfDeadOwner();
        assertThat(scopes.cancel(ONE, "1", true)).isEqualTo(Scopes.CancelAnswer.CANCELLED);
        assertThat(Ending.Outcome.of(job())).contains(Ending.Outcome.CANCELLED);
        assertThat(scopes.stats(ONE).killed()).isZero();
        assertThat(scopes.stats(ONE).cancelled()).isEqualTo(1);
    }

    @Test
    void a_stop_that_no_quorum_confirms_says_so_and_the_next_one_confirms_the_cancels() {
        var unused0 = scopes.start(ONE);
        var unused1 = scopes.submit(ONE, page());
        cluster.acceptStored(7, doc -> doc.path("status").asText().equals("cancelled"));
        assertThatThrownBy(() -> scopes.stop(ONE)).isInstanceOf(UnconfirmedException.class);
        assertThat(scopes.history(ONE, 9)).hasSize(1);
        int sent = cluster.sent().size();
        scopes.stop(ONE);
        assertThat(cluster.sent()).hasSize(sent + 1);
        scopes.stop(ONE);
        assertThat(cluster.sent()).hasSize(sent + 1);
    }

    @Test
    void a_cancel_that_others_overtook_is_made_again_on_what_they_wrote(TestDatabase server) throws Exception {
        requireAllLeaves(server);
        var unused0 = scopes.start(ONE);
        queue.database().put(Jobs.json("{'_id':'job:index@1:1','status':'waiting','data':{},'times':{'created':1}}"));
        var overtaken = new AtomicBoolean();
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean returns(Proxy.Request request) {
                if (request.isBulkWrite() && request.body().contains("cancelled") && !overtaken.getAndSet(true)) {
                    copyOfAnotherNode(server);
                }
                return true;
            }
        });
        scopes.stop(ONE);
        assertThat(overtaken).isTrue();
        TestQueue.until(() -> job().attempt() == 1);
        assertThat(job().status()).isEqualTo(JobStatus.CANCELLED);
    }

    private static void requireAllLeaves(TestDatabase server) {
        assumeTrue(!server.serverName().contains("PouchDB"), "PouchDB Server's _bulk_get has the winning leaf only");
    }

    private static void copyOfAnotherNode(TestDatabase server) {
        String waitsForRetry = "{'_id':'job:index@1:1','_rev':'1-%s','status':'stuck','scheduledTime':%d,'data':{},"
                + "'attempt':1,'fence':2,'times':{'created':1,'claimed':2,'started':2,'failed':3}}";
        try {
            Replicated.into(server, Jobs.json(waitsForRetry.formatted("a".repeat(32), 4_000_000_000_000L)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_stop_asks_once_for_a_job_that_is_shown_as_waiting_and_runs_on_another_leaf(TestDatabase server)
            throws Exception {
        requireAllLeaves(server);
        var unused0 = scopes.start(ONE);
        // The conflict lasts: no tombstone of a loser is stored.
        cluster.acceptInVain(1_000, doc -> doc.path("_deleted").asBoolean());
        Replicated.into(
                server,
                Replicated.leaf(
                        "job:index@1:1",
                        5,
                        'b',
                        "'status':'waiting','data':{},'attempt':1,'expirations':1,'fence':1,"
                                + "'times':{'created':1,'claimed':2,'started':2,'expired':3}"),
                Replicated.leaf("job:index@1:1", 3, 'a', Replicated.owned("other", "token", 2)));
        AtomicInteger questions = new AtomicInteger();
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean goes(Proxy.Request request) {
                boolean isQuestion = request.uri().getPath().endsWith("/_view/status")
                        && request.body().contains("stuck");
                if (isQuestion && questions.incrementAndGet() == 30) {
                    queue.close(); // it would ask for ever
                }
                return true;
            }
        });
        scopes.stop(ONE);
        assertThat(questions).hasValueLessThan(5);
    }

    private void addOfDeadOwner() {
        queue.database()
                .put(Jobs.json(
                        "{'_id':'job:index@1:1','status':'waiting','data':{},'attempt':1,'expirations':1,'fence':1,"
                                + "'times':{'created':1,'claimed':2,'started':2,'expired':3}}"));
    }

    private Job job() {
        return scopes.find(ONE, "1").orElseThrow();
    }
}

package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.embedded.junit.TestServer;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.WriteBack;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.net.URI;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A document of the user is changed on a cluster, whose nodes lose each other. */
@Timeout(120)
class UserDocumentsTest {
    private static final int CUT_OFF = 2;
    private static final JsonPointer STATUS = JsonPointer.valueOf("/status");
    private static final UserDocuments.Change MARK =
            document -> document.has("mark") ? document : document.deepCopy().put("mark", true);

    private final SimulatedCluster cluster = SimulatedCluster.start(3, 11);
    private final List<CouchServer> servers =
            cluster.urls().stream().map(UserDocumentsTest::connect).toList();
    private final UserDocuments documents =
            new UserDocuments(at(CUT_OFF), ServerAccess.environment(servers.get(CUT_OFF)));

    private static CouchServer connect(URI url) {
        return CouchServer.connect(CouchConfig.builder(url).build());
    }

    private CouchDatabase at(int node) {
        return servers.get(node).database("orders");
    }

    @BeforeEach
    void create() throws Exception {
        boolean unused = at(0).createIfMissing();
        save("{'_id':'o1'}");
    }

    @AfterEach
    void close() {
        servers.forEach(CouchServer::close);
        cluster.close();
    }

    /** By a node that is not cut off; waits until every copy has it, if every node is in reach. */
    private ObjectNode save(String document) throws Exception {
        ObjectNode saved = json(document);
        WriteResult written = at(0).put(saved);
        assertThat(written).isInstanceOf(WriteResult.Stored.class);
        return saved;
    }

    private void saveOnceMore(String id, String field) {
        ObjectNode document = at(0).get(id).orElseThrow().put(field, true);
        assertThat(at(0).put(document)).isInstanceOf(WriteResult.Stored.class);
    }

    private void everywhere(String id) throws Exception {
        for (CouchServer server : servers) {
            TestQueue.until(() -> server.database("orders").get(id).isPresent());
        }
    }

    private List<ObjectNode> live(int node) {
        return at(node).leaves("o1").stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .toList();
    }

    private void leaveAlone() {
        cluster.stop(0);
        cluster.stop(1);
    }

    private void comeBack() {
        cluster.start(0);
        cluster.start(1);
    }

    private void theOthers() {
        cluster.stop(CUT_OFF);
        comeBack();
    }

    private void failsToMark() {
        leaveAlone();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> documents.change("o1", MARK)).isInstanceOf(CouchJobsException.class);
        }
    }

    @Test
    void a_change_that_no_majority_confirms_adds_one_revision_however_often_it_is_tried() throws Exception {
        everywhere("o1");
        failsToMark();
        assertThat(live(CUT_OFF)).singleElement().satisfies(leaf -> assertThat(
                        Rev.generation(leaf.path("_rev").asText()))
                .isEqualTo(2));
    }

    @Test
    void a_change_is_confirmed_when_the_others_are_back() throws Exception {
        everywhere("o1");
        failsToMark();
        comeBack();
        TestQueue.until(() -> isMarked(MARK));
        assertThat(at(0).get("o1").orElseThrow().has("mark")).isTrue();
    }

    @Test
    void a_newer_change_is_made_though_an_older_one_was_not_confirmed_before() throws Exception {
        everywhere("o1");
        failsToMark();
        comeBack();
        UserDocuments.Change newer = document -> document.path("mark").asInt() == 2
                ? document
                : document.deepCopy().put("mark", 2);
        TestQueue.until(() -> isMarked(newer));
        assertThat(at(0).get("o1").orElseThrow().path("mark").asInt()).isEqualTo(2);
    }

    private boolean isMarked(UserDocuments.Change mark) {
        return isChanged(documents, mark);
    }

    private static boolean isChanged(UserDocuments documents, UserDocuments.Change mark) {
        try {
            documents.change("o1", mark);
            return true;
        } catch (CouchJobsException notYet) {
            return false;
        }
    }

    @Test
    void the_users_newer_revision_is_what_readers_see_and_what_is_changed() throws Exception {
        everywhere("o1");
        failsToMark();
        theOthers();
        saveOnceMore("o1", "paid");
        saveOnceMore("o1", "sent");
        cluster.start(CUT_OFF);
        TestQueue.until(() -> isMarked(MARK));
        for (int node = 0; node < 3; node++) {
            int each = node;
            TestQueue.until(() -> live(each).size() == 1);
            assertThat(live(node).get(0).toString())
                    .contains("\"paid\":true")
                    .contains("\"sent\":true")
                    .contains("\"mark\":true");
        }
    }

    @Test
    void the_users_newer_revision_is_not_hidden_by_a_change_whose_answer_was_lost() throws Exception {
        everywhere("o1");
        TestServer node = new TestServer(cluster.urls().get(CUT_OFF), Optional.empty(), Optional.empty(), "");
        try (Proxy proxy = Proxy.before(node);
                CouchServer door =
                        connect(proxy.door(new TestDatabase(node, "orders")).serverUrl())) {
            UserDocuments behind = new UserDocuments(door.database("orders"), ServerAccess.environment(door));
            leaveAlone();
            Lost lost = proxy.loseAnswers(1, request -> request.isWriteOf("o1"));
            assertThatThrownBy(() -> behind.change("o1", MARK)).isInstanceOf(CouchJobsException.class);
            assertThat(lost.count()).isEqualTo(1);
            theOthers();
            saveOnceMore("o1", "paid");
            cluster.start(CUT_OFF);
            TestQueue.until(() -> isChanged(behind, MARK));
        }
        TestQueue.until(() -> live(0).size() == 1);
        assertThat(live(0).get(0).has("paid")).isTrue();
        assertThat(live(0).get(0).has("mark")).isTrue();
    }

    @Test
    void a_document_that_the_user_deleted_meanwhile_stays_deleted() throws Exception {
        everywhere("o1");
        failsToMark();
        theOthers();
        ObjectNode tombstone = at(0).get("o1").orElseThrow().put("_deleted", true);
        assertThat(at(0).put(tombstone)).isInstanceOf(WriteResult.Stored.class);
        cluster.start(CUT_OFF);
        TestQueue.until(() -> isMarked(MARK));
        TestQueue.until(() -> live(0).isEmpty() && live(CUT_OFF).isEmpty());
    }

    @Test
    void a_confirmed_save_of_the_user_at_the_same_moment_is_not_hidden() throws Exception {
        int saves = 0;
        for (int round = 0; round < 60; round++) {
            String id = "race-" + round;
            save("{'_id':'" + id + "'}");
            everywhere(id);
            ObjectNode document = at(0).get(id).orElseThrow().put("paid", true);
            CompletableFuture<Boolean> user =
                    CompletableFuture.supplyAsync(() -> at(0).put(document) instanceof WriteResult.Stored);
            documents.change(id, MARK);
            boolean isConfirmed = user.get(1, TimeUnit.MINUTES);
            saves += isConfirmed ? 1 : 0;
            if (isConfirmed) {
                ObjectNode seen = at(1).leaves(id).stream()
                        .filter(leaf -> !leaf.path("_deleted").asBoolean())
                        .max((one, other) -> Rev.ORDER.compare(
                                one.path("_rev").asText(), other.path("_rev").asText()))
                        .orElseThrow();
                assertThat(seen.has("paid"))
                        .as("%s of %s", seen, at(1).leaves(id))
                        .isTrue();
            }
        }
        assertThat(saves).isPositive();
    }

    @Test
    void an_end_that_was_written_once_more_for_its_confirmation_is_known_as_the_triggers_own() throws Exception {
        everywhere("o1");
        String rev = at(0).get("o1").orElseThrow().path("_rev").asText();
        UserDocuments.Change end = end(rev);
        leaveAlone();
        assertThat(isMarked(end)).isFalse();
        assertThat(live(CUT_OFF).get(0).has("status")).isTrue();
        comeBack();
        TestQueue.until(() -> isMarked(end));
        ObjectNode written = at(CUT_OFF).get("o1").orElseThrow();
        assertThat(WriteBack.savedRev(written, STATUS)).isEqualTo(rev);
        assertThat(WriteBack.isOwn(written, STATUS, "t", 0)).isTrue();
    }

    private static UserDocuments.Change end(String rev) {
        Job ended = Job.parse(json("{'_id':'job:mail:1','_rev':'2-a','status':'success','data':{},"
                + "'trigger':{'name':'t','rev':'" + rev + "'}}"));
        return new EndTaker.End(ended, STATUS);
    }

    @Test
    void the_tombstone_of_an_unconfirmed_end_stands_for_the_deletion_by_the_user() throws Exception {
        everywhere("o1");
        UserDocuments.Change end =
                end(at(0).get("o1").orElseThrow().path("_rev").asText());
        leaveAlone();
        assertThat(isMarked(end)).isFalse();
        theOthers();
        ObjectNode deleted = at(0).get("o1").orElseThrow().put("_deleted", true);
        assertThat(at(0).put(deleted)).isInstanceOf(WriteResult.Stored.class);
        String deletion = at(0).leaves("o1").get(0).path("_rev").asText();
        cluster.start(CUT_OFF);
        TestQueue.until(() -> isMarked(end));
        ObjectNode winner = at(CUT_OFF).leaves("o1").stream()
                .max(Comparator.comparing(leaf -> leaf.path("_rev").asText(), Rev.ORDER))
                .orElseThrow();
        assertThat(winner.has("status")).isTrue();
        assertThat(WriteBack.savedRev(winner, STATUS)).isEqualTo(deletion);
        assertThat(WriteBack.isOwn(winner, STATUS, "t", 0)).isFalse();
    }

    @Test
    void an_entry_whose_mark_no_majority_confirmed_is_settled_by_a_later_step_that_makes_no_job() throws Exception {
        everywhere("o1");
        String rev = at(0).get("o1").orElseThrow().path("_rev").asText();
        save("{'_id':'o1','_rev':'" + rev + "','couchjobs':[{'type':'mail','id':'a'}]}");
        TestQueue.until(() -> at(CUT_OFF).get("o1").orElseThrow().has("couchjobs"));
        Trigger trigger =
                Trigger.named("t").source("orders").outbox(Outbox.Entries.MARK).build();
        OutboxEntries entries = new OutboxEntries(at(CUT_OFF), ServerAccess.environment(servers.get(CUT_OFF)));
        SourceChange change = new SourceChange("orders", "o1", "2-a", "2", false, null);
        JobRequest job = JobRequest.builder("mail").id("a").data(Map.of()).build();
        List<Wanted> made = List.of(new Wanted(job, change, Instant.EPOCH));
        leaveAlone();
        assertThatThrownBy(() -> entries.done(made, trigger, Outbox.Entries.MARK))
                .isInstanceOf(CouchJobsException.class);
        theOthers();
        assertThat(at(0).put(at(0).get("o1").orElseThrow().put("_deleted", true)))
                .isInstanceOf(WriteResult.Stored.class);
        cluster.start(CUT_OFF);
        TestQueue.until(() -> isDone(() -> entries.done(List.of(), trigger, Outbox.Entries.MARK)));
        TestQueue.until(() -> live(0).isEmpty() && live(CUT_OFF).isEmpty());
    }

    private static boolean isDone(Supplier<List<Step.Failure>> step) {
        try {
            return step.get().isEmpty();
        } catch (CouchJobsException notYet) {
            return false;
        }
    }
}

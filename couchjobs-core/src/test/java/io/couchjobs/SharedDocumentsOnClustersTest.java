package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of changes of documents that are no jobs when one node is left without the others. */
@Timeout(120)
class SharedDocumentsOnClustersTest {
    private static final int CUT_OFF = 2;

    private final SimulatedCluster cluster = SimulatedCluster.start(3, 11);
    private final List<JobQueue> queues =
            IntStream.range(0, 3).mapToObj(this::at).toList();

    @AfterEach
    void close() {
        queues.forEach(JobQueue::close);
        cluster.close();
    }

    @Test
    void settings_that_no_majority_confirms_are_not_told_done_and_are_as_they_were_when_the_others_are_back()
            throws Exception {
        queues.get(0).types().change("email", settings -> settings.with(Limit.RUNNING, 5));
        everywhere("type:email", "\"limit\":5");
        leaveAlone();
        assertThatThrownBy(() -> queues.get(CUT_OFF).types().change("email", settings -> settings.withPaused(true)))
                .isInstanceOf(UnconfirmedException.class)
                .hasMessageContaining("no majority of the copies confirmed the change to the settings of type email");
        comeBack();
        assertThat(queues.get(0).types().change("email", settings -> settings).isPaused())
                .isFalse();
        everywhere("type:email", "\"limit\":5");
    }

    @Test
    void settings_that_no_majority_confirmed_do_not_undo_what_the_others_confirmed_meanwhile() throws Exception {
        queues.get(0).types().change("email", settings -> settings.with(Limit.RUNNING, 5));
        everywhere("type:email", "\"limit\":5");
        leaveAlone();
        assertThatThrownBy(
                        () -> queues.get(CUT_OFF).types().change("email", settings -> settings.with(Limit.RUNNING, 9)))
                .isInstanceOf(UnconfirmedException.class);
        theOthers();
        queues.get(0).types().change("email", settings -> settings.withPaused(true));
        cluster.start(CUT_OFF);
        settled("type:email");
        everywhere("type:email", "\"paused\":true");
        everywhere("type:email", "\"limit\":5");
    }

    @Test
    void settings_that_stay_as_they_were_are_not_told_done_unless_a_majority_confirms_them() throws Exception {
        queues.get(0).types().change("email", settings -> settings.with(Limit.RUNNING, 5));
        everywhere("type:email", "\"limit\":5");
        leaveAlone();
        assertThatThrownBy(() -> queues.get(CUT_OFF).types().change("email", settings -> settings))
                .isInstanceOf(UnconfirmedException.class);
        comeBack();
        everywhere("type:email", "\"limit\":5");
    }

    /** Both write the same content on the same base. */
    @Test
    void settings_that_a_majority_confirmed_are_not_undone_by_the_same_change_that_was_taken_back() throws Exception {
        queues.get(0).types().change("email", settings -> settings.with(Limit.RUNNING, 5));
        everywhere("type:email", "\"limit\":5");
        leaveAlone();
        assertThatThrownBy(() -> queues.get(CUT_OFF).types().change("email", settings -> settings.withPaused(true)))
                .isInstanceOf(UnconfirmedException.class);
        theOthers();
        queues.get(0).types().change("email", settings -> settings.withPaused(true));
        cluster.start(CUT_OFF);
        settled("type:email");
        everywhere("type:email", "\"paused\":true");
    }

    @Test
    void a_schedule_that_was_disabled_by_a_majority_is_not_enabled_by_a_node_that_is_cut_off() throws Exception {
        queues.get(0).schedules().put(nightlyEvery(1));
        everywhere("schedule:nightly", "nightly");
        leaveAlone();
        assertThatThrownBy(() -> queues.get(CUT_OFF).schedules().put(nightlyEvery(2)))
                .isInstanceOf(UnconfirmedException.class)
                .hasMessageContaining("schedule nightly");
        theOthers();
        queues.get(0).schedules().disable("nightly");
        cluster.start(CUT_OFF);
        settled("schedule:nightly");
        everywhere("schedule:nightly", "\"enabled\":false");
    }

    @Test
    void a_removal_that_a_majority_confirmed_is_not_undone_by_a_change_that_was_taken_back() throws Exception {
        queues.get(0).schedules().put(nightlyEvery(1));
        everywhere("schedule:nightly", "nightly");
        leaveAlone();
        assertThatThrownBy(() -> queues.get(CUT_OFF).schedules().disable("nightly"))
                .isInstanceOf(UnconfirmedException.class);
        theOthers();
        queues.get(0).schedules().remove("nightly");
        cluster.start(CUT_OFF);
        TestQueue.until(() -> {
            queues.get(0).operations().resolve("schedule:nightly");
            return queues.stream()
                    .allMatch(queue -> queue.schedules().get("nightly").isEmpty());
        });
    }

    @Test
    void a_document_that_no_majority_knows_is_not_there_afterwards() throws Exception {
        queues.get(0).add(JobRequest.builder("email").id("1").data(Map.of()).build());
        leaveAlone();
        SharedDocuments documents = new SharedDocuments(queues.get(CUT_OFF).database());
        assertThatThrownBy(() -> documents.change("scope:email:p", document -> document.put("running", true)))
                .isInstanceOf(UnconfirmedException.class)
                .hasMessageContaining("scope email:p");
        assertThat(documents.read("scope:email:p")).isEmpty();
        comeBack();
        assertThat(new SharedDocuments(queues.get(0).database()).read("scope:email:p"))
                .isEmpty();
    }

    @Test
    void the_former_owners_change_on_a_node_that_is_cut_off_does_not_outrun_the_later_owners_confirmed_change()
            throws Exception {
        queues.get(0).add(JobRequest.builder("email").id("1").data(Map.of()).build());
        ClaimedJob former = claim();
        fenced(CUT_OFF, former).change("doc", document -> document.put("by", "former"));
        queues.get(0).operations().release("email", "1");
        ClaimedJob present = claim();
        everywhere("doc", "former");
        leaveAlone();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(
                            () -> fenced(CUT_OFF, former).change("doc", document -> document.put("by", "former again")))
                    .isInstanceOf(UnconfirmedException.class);
        }
        theOthers();
        fenced(0, present).change("doc", document -> document.put("by", "present"));
        cluster.start(CUT_OFF);
        TestQueue.until(() -> isStored(0, "doc", "\"by\"") && leaves("doc") > 0);
        assertThat(fenced(CUT_OFF, present).take("doc").path("by").asText()).isEqualTo("present");
        everywhere("doc", "\"by\":\"present\"");
    }

    private ClaimedJob claim() throws InterruptedException {
        return queues.get(0)
                .accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }

    private FencedDocuments fenced(int node, ClaimedJob claim) {
        return claim.fenced(queues.get(node).database());
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

    /** As a process does that runs a worker. */
    private void settled(String docId) throws Exception {
        TestQueue.until(() -> queues.get(0).operations().resolve(docId) && leaves(docId) == 1);
    }

    private long leaves(String docId) {
        return queues.get(0).database().leaves(docId).stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .count();
    }

    private void everywhere(String docId, String text) throws Exception {
        TestQueue.until(() -> IntStream.range(0, 3).allMatch(node -> isStored(node, docId, text)));
    }

    private boolean isStored(int node, String docId, String text) {
        try {
            return queues.get(node)
                    .database()
                    .get(docId)
                    .filter(document -> document.toString().contains(text))
                    .isPresent();
        } catch (CouchException notYet) {
            return false;
        }
    }

    private JobQueue at(int node) {
        return JobQueue.builder(cluster.urls().get(node).resolve("/jobs"))
                .renewLeases(false)
                .open();
    }

    private static ScheduleRequest nightlyEvery(int days) {
        return Schedule.named("nightly")
                .every(Duration.ofDays(days))
                .job(JobRequest.of("email", Map.of()))
                .build();
    }
}

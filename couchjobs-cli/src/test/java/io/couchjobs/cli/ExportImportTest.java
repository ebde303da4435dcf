package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(180)
class ExportImportTest {
    private TestShell shell;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        shell = TestShell.at(database);
        queue = TestShell.queue(database);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void jobs_come_back_as_they_were_and_those_that_were_owned_wait_again() throws Exception {
        oneOfEachStatus();
        String export = done("export").out();
        Map<String, ObjectNode> before = byId(export);
        assertThat(before).hasSize(6);
        shell.input(export);
        assertThat(done("remove", "--type", "email", "--all", "--yes").out()).contains("changed 6");

        JsonNode imported = done("import", "-", "-o", "json").json();

        assertThat(imported)
                .hasToString(
                        "{\"added\":6,\"released\":1,\"unchanged\":0,\"differing\":0,\"skipped\":0,\"rejected\":[]}");
        Map<String, ObjectNode> after = byId(done("export").out());
        Job owned = queue.get("email", "running").orElseThrow();
        assertThat(owned.status()).isEqualTo(JobStatus.WAITING);
        assertThat(owned.lock()).isEmpty();
        for (Map<String, ObjectNode> side : List.of(before, after)) {
            side.remove("job:email:running");
            side.values().forEach(document -> document.remove("fence"));
        }
        assertThat(after).isEqualTo(before);
    }

    @Test
    void large_data_is_in_an_export_and_attached_again_by_an_import() throws Exception {
        Map<String, String> large = Map.of("text", "é".repeat(40_000));
        queue.add(JobRequest.builder("email").id("1").data(large).build());
        assertThat(queue.get("email", "1").orElseThrow().hasAttachedData()).isTrue();
        String export = done("export").out();
        ObjectNode line = byId(export).get("job:email:1");
        assertThat(line.path("data").path("text").asText()).hasSize(40_000);
        assertThat(line.has("dataDigest")).isFalse();
        queue.remove("email", "1");

        shell.input(export);
        done("import", "-");

        Job back = queue.get("email", "1").orElseThrow();
        assertThat(back.hasAttachedData()).isTrue();
        assertThat(back.data().path("text").asText()).isEqualTo(large.get("text"));
        assertThat(done("inspect", "email", "1", "-o", "json")
                        .json()
                        .at("/data/text")
                        .asText())
                .isEqualTo(large.get("text"));
        assertThat(done("list", "-o", "json").json().at("/0/data/text").asText())
                .isEqualTo(large.get("text"));
        assertThat(done("wait", "email", "1", "--for", "pending", "-o", "json")
                        .json()
                        .at("/data/text")
                        .asText())
                .isEqualTo(large.get("text"));
    }

    @Test
    void a_job_with_more_data_than_a_document_can_hold_comes_back_from_an_export() {
        int length = 9 * 1024 * 1024;
        queue.add(JobRequest.builder("email")
                .id("1")
                .data(Map.of("text", "x".repeat(length)))
                .build());
        shell.input(done("export").out());
        queue.remove("email", "1");

        done("import", "-");

        assertThat(queue.get("email", "1")
                        .orElseThrow()
                        .data()
                        .path("text")
                        .asText()
                        .length())
                .isEqualTo(length);
    }

    @Test
    void a_job_whose_data_is_lost_is_named_and_the_others_are_exported() {
        queue.add(JobRequest.builder("email")
                .id("1")
                .data(Map.of("text", "x".repeat(40_000)))
                .build());
        queue.add(JobRequest.builder("email").id("2").data(Map.of()).build());
        ObjectNode damaged = queue.database().get("job:email:1").orElseThrow();
        damaged.remove("_attachments");
        queue.database().put(damaged);

        TestShell.Said said = shell.run("export");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err()).contains("not exported", "email:1", "data.json");
        assertThat(said.out()).contains("job:email:2").doesNotContain("job:email:1");
        assertThat(shell.run("export", "-q").err())
                .contains("not exported", "email:1")
                .hasLineCount(1);
        JsonNode shown = shell.run("inspect", "email", "1", "-o", "json").json();
        assertThat(shown.path("dataProblem").asText()).contains("email:1");
        shell.input(damaged.toString());
        assertThat(shell.run("remove", "email", "1").exitCode()).isZero();
        shell.input(damaged.toString());
        TestShell.Said imported = shell.run("import", "-", "-o", "json");
        assertThat(imported.exitCode()).isEqualTo(1);
        assertThat(imported.json().at("/rejected/0").toString()).contains("email:1");
    }

    /** A handler that guards its writes elsewhere by the fence relies on that, also after the job was removed and put back. */
    @Test
    void the_fence_of_a_job_that_came_back_is_greater_than_all_before() throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        claim().release();
        String early = done("export").out();
        long last = 0;
        for (int i = 0; i < 3; i++) {
            ClaimedJob claim = claim();
            last = claim.fence();
            claim.release();
        }
        queue.remove("email", "1");

        shell.input(early);
        done("import", "-");

        assertThat(claim().fence()).isGreaterThan(last);
    }

    @Test
    void an_import_can_be_repeated_and_changes_nothing_that_is_there() throws Exception {
        oneOfEachStatus();
        shell.input(done("export").out());
        queue.reschedule("email", "waiting", Instant.parse("2041-01-01T00:00:00Z"));
        String before = done("export").out();

        TestShell.Said said = done("import", "-");

        assertThat(said.out())
                .isEqualTo(
                        "added 0 (of which 0 were owned, and wait again), unchanged 6 (of which 1 differ), skipped 0,"
                                + " rejected 0\n");
        assertThat(said.err()).contains("1 of the jobs that exist differ", "email:waiting");
        assertThat(done("export").out()).isEqualTo(before);
    }

    @Test
    void an_import_counts_the_jobs_that_exist_with_another_status_or_other_data() throws Exception {
        oneOfEachStatus();
        String large = "{\"_id\":\"job:email:large\",\"data\":{\"text\":\"" + "x".repeat(40_000) + "\"}}\n";
        String export = done("export").out() + large;
        shell.input(export);
        done("import", "-");
        assertThat(done("import", "-", "-o", "json").json().path("differing").asInt())
                .isZero();
        queue.cancel("email", "waiting", CancelMode.IF_QUEUED);

        shell.input(export.replace("no such mailbox", "no mailbox")
                .replace("{\"sent\":true}", "{\"sent\":false}")
                .replace("xx", "xy"));
        TestShell.Said said = done("import", "-", "-o", "json");

        assertThat(said.json().path("unchanged").asInt()).isEqualTo(7);
        assertThat(said.json().path("differing").asInt()).isEqualTo(3);
    }

    @Test
    void a_number_that_the_server_writes_another_way_is_the_same_data() throws Exception {
        shell.input("{\"_id\":\"job:email:1\",\"data\":{\"n\":1}}\n");
        done("import", "-");

        shell.input("{\"_id\":\"job:email:1\",\"data\":{\"n\":1.0}}\n");

        assertThat(done("import", "-", "-o", "json").json().path("differing").asInt())
                .isZero();
    }

    @Test
    void bad_lines_are_named_by_number_and_the_others_are_imported() {
        shell.input("""
                {"_id":"job:email:1","data":{}}
                {"_id":"job:email:2",

                {"type":"email","id":"3","data":{}}
                {"_id":"job:email:4","data":{},"status":"asleep"}
                {"_id":"job:email:5","status":"running"}
                {"_id":"job:email:1","data":{"second":true}}
                {"_id":"job:email:6","_rev":"7-abc","unknown":{"kept":true}}
                """);

        TestShell.Said said = shell.run("import", "-", "-o", "json");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.json().path("added").asInt()).isEqualTo(2);
        assertThat(said.json().path("unchanged").asInt()).isEqualTo(1);
        assertThat(said.json().path("rejected").findValuesAsText("line")).containsExactly("2", "4", "5", "6");
        assertThat(said.err()).contains("couchjobs: line 4: not an exported job", "line 5: ", "status is \"asleep\": ");
        assertThat(queue.get("email", "1").orElseThrow().data()).isEmpty();
        assertThat(queue.get("email", "6").orElseThrow().toDocument().path("unknown"))
                .hasToString("{\"kept\":true}");
    }

    @Test
    void a_document_of_another_id_is_told_which_id_a_job_has() {
        shell.input("{\"_id\":\"task-1\",\"status\":\"waiting\",\"data\":{}}\n");

        TestShell.Said said = shell.run("import", "-");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err())
                .contains("line 1: not an exported job", "\"task-1\"", "\"job:TYPE:ID\"")
                .doesNotContain("regex");
    }

    @Test
    void the_jobs_that_pass_a_filter_are_exported_and_imported() throws Exception {
        oneOfEachStatus();
        queue.add(JobRequest.builder("report").id("1").data(Map.of()).build());

        assertThat(byId(done("export", "--status", "failed").out())).containsOnlyKeys("job:email:failed");
        assertThat(byId(done("export", "--type", "report").out())).containsOnlyKeys("job:report:1");
        shell.input(done("export").out());
        done("remove", "--type", "email", "--all", "--yes");
        JsonNode imported = done("import", "-", "--type", "email", "--status", "success", "-o", "json")
                .json();
        assertThat(imported.path("added").asInt()).isEqualTo(1);
        assertThat(imported.path("skipped").asInt()).isEqualTo(6);
    }

    @Test
    void many_jobs_pass_in_batches() throws Exception {
        queue.addAll(IntStream.range(0, 1_100)
                .mapToObj(i -> JobRequest.builder("email")
                        .id("" + i)
                        .data(Map.of("n", i))
                        .build())
                .toList());
        String export = done("export").out();
        assertThat(export.lines()).hasSize(1_100);
        shell.input(export.replace("job:email:", "job:copy:"));

        assertThat(done("import", "-", "-o", "json").json().path("added").asInt())
                .isEqualTo(1_100);

        assertThat(done("counts", "--type", "copy", "-o", "json")
                        .json()
                        .at("/types/copy/waiting")
                        .asInt())
                .isEqualTo(1_100);
    }

    @Test
    void a_time_in_seconds_is_imported_as_the_same_time_in_milliseconds() throws Exception {
        shell.input("{\"_id\":\"job:email:1\",\"data\":{},\"scheduledTime\":4000000000}\n");
        done("import", "-");
        assertThat(done("inspect", "email", "1", "-o", "json")
                        .json()
                        .path("scheduledTime")
                        .asText())
                .isEqualTo("2096-10-02T07:06:40Z");
        assertThat(queue.database()
                        .get("job:email:1")
                        .orElseThrow()
                        .path("scheduledTime")
                        .asLong())
                .isEqualTo(4_000_000_000_000L);
    }

    @Test
    void a_line_with_a_time_in_seconds_is_enqueued_for_that_time() throws Exception {
        shell.input("{\"id\":\"1\",\"data\":{},\"scheduledTime\":4000000000}\n");
        done("enqueue", "email", "--from", "-");
        assertThat(done("inspect", "email", "1", "-o", "json")
                        .json()
                        .path("scheduledTime")
                        .asText())
                .isEqualTo("2096-10-02T07:06:40Z");
        queue.database()
                .put(byId("{\"_id\":\"job:email:2\",\"scheduledTime\":4000000000}")
                        .get("job:email:2"));
        assertThat(done("list", "-o", "json").json().findValuesAsText("scheduledTime"))
                .containsOnly("2096-10-02T07:06:40Z");
    }

    private void oneOfEachStatus() throws Exception {
        add("success");
        claim().finish(Map.of("sent", true));
        add("stuck");
        claim().fail(JobError.Kind.FAILED, "for now", null, false);
        add("failed");
        claim().fail(JobError.Kind.FAILED, "no such mailbox", null, true);
        add("cancelled");
        queue.cancel("email", "cancelled", CancelMode.IF_QUEUED);
        add("running");
        claim();
        queue.add(JobRequest.builder("email")
                .id("waiting")
                .data(Map.of("to", "ä\u2028\"\\"))
                .scheduledTime(Instant.parse("2040-01-01T00:00:00Z"))
                .group("g")
                .tag("t")
                .priority(75)
                .build());
    }

    private void add(String id) {
        queue.add(JobRequest.builder("email").id(id).data(Map.of("to", id)).build());
    }

    private ClaimedJob claim() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email")).get(0);
    }

    private static Map<String, ObjectNode> byId(String export) throws IOException {
        Map<String, ObjectNode> jobs = new TreeMap<>();
        for (String line : export.lines().toList()) {
            ObjectNode document = (ObjectNode) new JsonMapper().readTree(line);
            jobs.put(document.path("_id").asText(), document);
        }
        return jobs;
    }

    private TestShell.Said done(String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }
}

package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobType;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.trigger.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class DoctorCommandTest {
    private TestDatabase database;
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase fresh) {
        database = fresh;
        shell = TestShell.at(fresh);
        assertThat(shell.run("init").exitCode()).isZero();
    }

    @Test
    void a_healthy_queue_has_no_problem() {
        notOnPouchDb();
        TestShell.Said said = shell.run("doctor");
        assertThat(said.exitCode()).as(said.out()).isZero();
        assertThat(said.out())
                .contains("conflicts", "design", "copies", "clock")
                .doesNotContain("PROBLEM");
    }

    @Test
    void an_array_is_no_problem() throws Exception {
        notOnPouchDb();
        try (JobQueue queue = open()) {
            queue.addArray(JobType.of("email", Map.class), "campaign", List.of(Map.of("n", 1), Map.of("n", 2)));
            queue.types().change("email", settings -> settings.withPaused(true));
        }
        TestShell.Said said = shell.run("doctor");
        assertThat(said.exitCode()).as(said.out()).isZero();
    }

    @Test
    void each_problem_is_reported_with_its_consequence_and_its_remedy() throws Exception {
        try (JobQueue queue = open()) {
            queue.database().put(doc("job:email:1").put("status", "nonsense"));
            queue.database().put(withdrawn("job:email:2"));
        }
        TestShell.Said said = shell.run("doctor", "-o", "json");
        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(finding(said, "malformed").path("finding").asText())
                .contains("job:email:1 (field status must be ", "nonsense");
        JsonNode conflicts = finding(said, "conflicts");
        assertThat(conflicts.path("level").asText()).isEqualTo("problem");
        assertThat(conflicts.path("finding").asText()).contains("job:email:2");
        assertThat(conflicts.path("consequence").asText()).isNotEmpty();
        assertThat(conflicts.path("remedy").asText()).contains("--fix");
        assertThat(finding(said, "owners").path("finding").asText()).startsWith("1 jobs are owned");
    }

    @Test
    void a_document_without_the_id_of_a_job_is_told_in_words_and_how_it_is_removed() throws Exception {
        try (JobQueue queue = open()) {
            queue.database().put(doc("job:email"));
        }
        JsonNode found = finding(shell.run("doctor", "-o", "json"), "malformed");
        assertThat(found.path("finding").asText())
                .startsWith("1 document begins with job:")
                .contains("job:email (its _id is not of the form job:TYPE:ID)");
        assertThat(found.path("remedy").asText()).contains("couchjobs remove TYPE ID", "DELETE");
    }

    @Test
    void a_long_list_of_malformed_documents_is_reported_with_the_least_number_there_can_be() throws Exception {
        try (JobQueue queue = open()) {
            queue.database()
                    .bulkDocs(IntStream.range(0, 501)
                            .mapToObj(i -> doc("job:email:" + i).put("status", 7))
                            .toList());
        }
        assertThat(finding(shell.run("doctor", "-o", "json"), "malformed")
                        .path("finding")
                        .asText())
                .startsWith("at least 500 documents begin with job:");
    }

    @Test
    void a_document_beside_the_jobs_that_breaks_the_protocol_is_named_with_field_and_value() throws Exception {
        try (JobQueue queue = open()) {
            queue.database().put(doc("type:email").put("limit", -3));
            queue.database().put(doc("schedule:nightly").put("cron", 7));
        }
        JsonNode found = finding(shell.run("doctor", "-o", "json"), "documents");
        assertThat(found.path("level").asText()).isEqualTo("problem");
        assertThat(found.path("finding").asText())
                .startsWith("2 documents")
                .contains("type:email (limit is -3: ", "schedule:nightly (", "cron is 7: ");
    }

    @Test
    void fix_stores_design_documents_and_resolves_conflicts() throws Exception {
        notOnPouchDb();
        try (JobQueue queue = open()) {
            queue.types().change("email", settings -> settings.withPaused(true)); // or doctor misses a worker
            queue.database().put(withdrawn("job:email:2"));
            ObjectNode design = new DesignDocuments(queue.database())
                    .read(DesignDocument.LISTS.versionedName())
                    .orElseThrow();
            queue.database().put(design.put("_deleted", true));
        }
        TestShell.Said said = shell.run("doctor", "--fix", "-o", "json");
        assertThat(said.exitCode()).as(said.out()).isZero();
        assertThat(said.err()).contains("resolved job:email:2");
        try (JobQueue queue = open()) {
            assertThat(queue.phase("email", "2")).hasToString("PENDING");
        }
    }

    @Test
    void fix_takes_jobs_from_owners_that_are_not_registered_only_after_a_question() throws Exception {
        notOnPouchDb();
        try (JobQueue queue = open()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            ClaimedJob claim = queue.accept(AcceptOptions.of("email")).get(0);

            assertThat(shell.run("doctor", "--fix").err()).contains("not done", "--yes");
            shell.terminals(new Shell.Terminals(true, false, true)).input("n\n");
            assertThat(shell.run("doctor", "--fix").err()).contains("take 1 jobs from workers", "[y/N]");
            assertThat(queue.phase("email", "1")).isEqualTo(JobPhase.RUNNING);

            shell.input("y\n");
            queue.types().change("email", settings -> settings.withPaused(true)); // or doctor misses a worker
            TestShell.Said said = shell.run("doctor", "--fix", "-o", "json");

            assertThat(said.exitCode()).as(said.out()).isZero();
            assertThat(said.err()).contains("took email:1 from client-");
            assertThat(queue.phase("email", "1")).isEqualTo(JobPhase.PENDING);
            boolean mayLag = queue.database().info().copies() > 1;
            awaitOk("owners", said, mayLag ? Duration.ofMinutes(1) : Duration.ZERO);
            assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
        }
    }

    @Test
    void a_job_that_has_changed_since_it_was_seen_is_not_taken() throws Exception {
        try (JobQueue queue = open()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            ClaimedJob claim = queue.accept(AcceptOptions.of("email")).get(0);
            WorkerInfo.OwnedJob seen =
                    queue.operations().workers().get(0).jobs().get(0);
            claim.update();

            assertThatThrownBy(() -> queue.operations().releaseOrphan(seen)).isInstanceOf(JobRefusedException.class);
            claim.finish();
        }
    }

    @Test
    void jobs_that_are_due_and_that_no_worker_takes_are_a_problem() throws Exception {
        notOnPouchDb();
        try (JobQueue queue = open()) {
            queue.add(JobRequest.builder("email")
                    .data(Map.of())
                    .scheduledTime(Instant.now().minus(Duration.ofMinutes(10)))
                    .build());
            TestShell.Said said = shell.run("doctor", "-o", "json");
            assertThat(said.exitCode()).isEqualTo(1);
            JsonNode jobs = finding(said, "jobs");
            assertThat(jobs.path("level").asText()).isEqualTo("problem");
            assertThat(jobs.path("finding").asText())
                    .isEqualTo("email: jobs are due, and no living worker takes this type");
            assertThat(jobs.path("remedy").asText()).contains("couchjobs work email");
        }
    }

    @Test
    void paused_types_and_failed_jobs_are_told_and_are_no_problem() throws Exception {
        notOnPouchDb();
        try (JobQueue queue = open()) {
            queue.add(JobRequest.of("email", Map.of()));
            queue.add(JobRequest.of("fax", Map.of()));
            queue.types().change("email", settings -> settings.withPaused(true));
            queue.accept(AcceptOptions.of("fax")).get(0).fail(JobError.Kind.FAILED, "no such number", null, true);
            TestShell.Said said = shell.run("doctor");
            assertThat(said.exitCode()).as(said.out()).isZero();
            assertThat(said.out())
                    .contains("email: paused while 1 job waits")
                    .contains("fax: 1 job has failed for good");
        }
    }

    @Test
    void a_trigger_that_makes_no_jobs_is_a_problem_and_changes_that_failed_are_told() throws Exception {
        notOnPouchDb();
        try (JobQueue queue = open()) {
            queue.triggers()
                    .put(Trigger.named("mails")
                            .source(database.name())
                            .prefixes("order:")
                            .type("mail")
                            .paused()
                            .build());
            ObjectNode position = queue.database()
                    .get("follow:mails:" + database.name())
                    .orElseThrow()
                    .put("failed", 1);
            position.putArray("errors")
                    .addObject()
                    .put("id", "o1")
                    .put("rev", "1-a")
                    .put("seq", "1")
                    .put("at", 1)
                    .put("reason", "no field /mail");
            queue.database().put(position);
            TestShell.Said said = shell.run("doctor");
            assertThat(said.exitCode()).as(said.out()).isZero();
            assertThat(said.out())
                    .contains("trigger mails: 1 change has failed, such as document o1", "no field /mail");

            queue.database().put(doc("trigger:broken").put("source", "orders").put("typ", "email"));
        }
        TestShell.Said said = shell.run("doctor", "-o", "json");
        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(finding(said, "jobs").path("finding").asText())
                .contains("malformed trigger: trigger broken makes no jobs", "field typ is not known");
    }

    @Test
    void times_in_seconds_are_a_hint_and_no_problem() throws Exception {
        try (JobQueue queue = open()) {
            queue.database().put(doc("job:email:1").put("scheduledTime", 4_000_000_000L));
        }
        TestShell.Said said = shell.run("doctor", "-o", "json");
        JsonNode times = finding(said, "times");
        assertThat(times.path("level").asText()).isEqualTo("note");
        assertThat(times.path("finding").asText()).contains("job:email:1").contains("seconds");
        assertThat(finding(said, "malformed").path("level").asText()).isEqualTo("ok");
    }

    private void notOnPouchDb() {
        assumeFalse(
                database.serverName().contains("PouchDB"),
                "PouchDB Server does not say that it is a CouchDB, which doctor takes for a problem");
    }

    @Test
    void a_server_that_is_no_couchdb_is_a_problem() throws Exception {
        assumeTrue(
                database.serverName().contains("PouchDB"),
                "of these only PouchDB Server does not say that it is a CouchDB");
        TestShell.Said said = shell.run("doctor", "-o", "json");
        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(finding(said, "server").path("finding").asText()).contains("no CouchDB");
        assertThat(finding(said, "clock").path("level").asText()).isEqualTo("ok");
    }

    private JobQueue open() {
        return TestShell.queue(database);
    }

    private static ObjectNode doc(String id) {
        return new ObjectMapper().createObjectNode().put("_id", id);
    }

    private static ObjectNode withdrawn(String id) {
        ObjectNode job = doc(id).put("status", "running").put("fence", 1);
        job.putObject("lock")
                .put("token", "t")
                .put("worker", "w")
                .putObject("withdrawn")
                .put("at", 1);
        return job;
    }

    /** On a cluster the copy of the index that doctor asks may not have yet what it has just mended. */
    private void awaitOk(String check, TestShell.Said said, Duration longest) throws Exception {
        long deadline = System.nanoTime() + longest.toNanos();
        String level = finding(said, check).path("level").asText();
        while (!level.equals("ok")) {
            assertThat(System.nanoTime()).as("%s is %s", check, level).isLessThan(deadline);
            level = finding(shell.run("doctor", "-o", "json"), check)
                    .path("level")
                    .asText();
        }
    }

    private static JsonNode finding(TestShell.Said said, String check) throws Exception {
        for (JsonNode finding : new ObjectMapper().readTree(said.out())) {
            if (finding.path("check").asText().equals(check)) {
                return finding;
            }
        }
        throw new AssertionError("no finding of " + check + " in " + said.out());
    }

    @Test
    void each_finding_is_one_record_of_csv() {
        assertThat(shell.run("doctor", "-o", "csv").out().lines())
                .startsWith("CHECK,LEVEL,FINDING,CONSEQUENCE,REMEDY")
                .noneMatch(line -> line.startsWith(","));
    }
}

package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.explain.Explainer;
import io.couchjobs.dashboard.explain.Reason;
import io.couchjobs.dashboard.explain.Verdict;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class ExplainCommandTest {
    private static final JsonMapper MAPPER = new JsonMapper();

    private TestDatabase database;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase fresh) {
        database = fresh;
        queue = TestShell.queue(fresh);
        queue.operations().init();
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void a_job_that_nobody_takes_needs_a_worker() {
        queue.add(request("1").build());

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("no-worker");
        assertThat(why.path("because").asText()).contains("no live worker", "email");
        assertThat(why.path("do").asText()).contains("couchjobs workers");
    }

    @Test
    void a_type_whose_jobs_somebody_runs_who_is_not_registered_has_a_worker() {
        queue.add(request("1").build());
        queue.add(request("2").build());
        assertThat(queue.claim(new JobId("email", "2"))).isPresent();

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("due");
        assertThat(why.path("because").asText()).contains("now running: email:2");
    }

    @Test
    void a_job_that_only_waits_for_a_place_is_due() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .filter(job -> false)
                .start()) {
            queue.add(request("1").build());

            assertThat(explain("1").path("verdict").asText()).isEqualTo("due");
            assertThat(worker.id()).isNotEmpty();
        }
    }

    @Test
    void a_job_that_waits_for_a_place_is_told_which_jobs_have_the_places() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    runs.countDown();
                    end.await();
                    return null;
                })
                .concurrency(1)
                .start()) {
            queue.add(request("busy").build());
            runs.await();
            queue.add(request("1").build());

            String because = explain("1").path("because").asText();
            end.countDown();

            assertThat(because).endsWith("; now running: email:busy on " + worker.id());
        }
    }

    @Test
    void a_job_that_idle_workers_leave_names_them_with_their_last_sign_of_life() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .filter(job -> false)
                .start()) {
            ObjectNode old = job("{\"_id\":\"job:email:1\",\"status\":\"waiting\",\"data\":{}}");
            old.putObject("times")
                    .put("created", Instant.now().minus(Duration.ofDays(3)).toEpochMilli());
            queue.database().put(old);

            JsonNode why = explain("1");

            assertThat(why.path("verdict").asText()).isEqualTo("due");
            assertThat(why.path("because").asText())
                    .contains("due for 3d", "own no job", worker.id(), "last sign of life");
            assertThat(why.path("do").asText()).contains("killed", "filter");
        }
    }

    @Test
    void a_job_without_a_creation_time_is_explained_without_how_long_it_has_been_due() {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .filter(job -> false)
                .start()) {
            queue.database().put(job("{\"_id\":\"job:email:1\",\"data\":{}}"));

            JsonNode why = explain("1");

            assertThat(why.path("verdict").asText()).isEqualTo("due");
            assertThat(why.path("because").asText()).doesNotContain("due for");
            assertThat(worker.id()).isNotEmpty();
        }
    }

    @Test
    void a_job_whose_time_has_not_come_is_named_with_its_time_before_all_else() {
        Instant time = Instant.now().plus(Duration.ofDays(3));
        queue.add(request("1").scheduledTime(time).build());
        queue.types().change("email", settings -> settings.withPaused(true));

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("waiting-for-time");
        assertThat(why.path("because").asText()).contains(time.toString().substring(0, 16), "in 2d");
        assertThat(why.path("do").asText()).startsWith("couchjobs retry email 1");
        assertThat(why.path("also"))
                .extracting(reason -> reason.path("verdict").asText())
                .containsExactly("paused", "no-worker");
    }

    @Test
    void a_failed_job_tells_its_last_error_and_when_it_is_retried() throws Exception {
        queue.add(request("1").build());
        accept().fail(JobError.Kind.FAILED, "no such host", null, false);

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("stuck");
        assertThat(why.path("because").asText()).contains("failed once", "no such host", "retried at");
    }

    @Test
    void a_paused_type_is_resumed() {
        queue.add(request("1").build());
        queue.types().change("email", settings -> settings.withPaused(true));

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("paused");
        assertThat(why.path("do").asText()).isEqualTo("couchjobs resume email");
    }

    @Test
    void a_held_job_names_those_that_it_waits_for() {
        queue.add(request("first").build());
        queue.add(request("1").after(new JobId("email", "first")).build());

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("held");
        assertThat(why.path("because").asText()).isEqualTo("it waits for email:first");
        assertThat(why.path("do").asText()).isEqualTo("couchjobs explain email first");
    }

    @Test
    void a_held_job_tells_that_the_one_it_waits_for_is_not_there() {
        queue.add(request("1").after(new JobId("email", "first")).build());

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("held");
        assertThat(why.path("because").asText()).isEqualTo("it waits for email:first (there is no such job)");
        assertThat(why.path("do").asText())
                .isEqualTo("couchjobs enqueue email first adds that job; couchjobs retry email 1 runs this one without"
                        + " it");
        assertThat(why.path("commands"))
                .extracting(JsonNode::asText)
                .containsExactly("couchjobs enqueue email first", "couchjobs retry email 1");
        assertThat(TestShell.at(database).run("list").out()).contains("after email:first");
    }

    @Test
    void a_held_job_tells_how_the_one_it_waits_for_ended() {
        queue.add(request("first").build());
        queue.add(request("1").after(new JobId("email", "first")).build());
        queue.cancel(new JobId("email", "first"), CancelMode.IF_QUEUED);

        JsonNode why = explain("1");

        assertThat(why.path("because").asText()).isEqualTo("it waits for email:first (cancelled)");
        assertThat(why.path("do").asText()).startsWith("couchjobs retry email first runs that job again");
    }

    @Test
    void a_full_type_and_a_full_group_name_who_has_the_places() throws Exception {
        queue.types()
                .change("email", settings -> settings.with(Limit.RUNNING, 1).with(Limit.RUNNING_PER_GROUP, 1));
        queue.add(request("running").group("shop").build());
        accept();
        queue.add(request("1").group("shop").build());

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("limit");
        assertThat(why.path("because").asText()).contains("type email may run 1 job at once", "email:running");
        assertThat(why.path("also").get(0).path("because").asText()).contains("group shop");

        doWhatIsSaid("1", Verdict.LIMIT);
        doWhatIsSaid("1", Verdict.LIMIT);

        assertThat(explain("1").path("verdict").asText()).isEqualTo("due");
    }

    @Test
    void a_full_limit_per_group_keeps_jobs_without_a_group_too() throws Exception {
        queue.types().change("email", settings -> settings.with(Limit.RUNNING_PER_GROUP, 1));
        queue.add(request("running").build());
        accept();
        queue.add(request("1").build());

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("limit");
        assertThat(why.path("because").asText())
                .contains("type email may run 1 job without a group at once", "email:running");

        doWhatIsSaid("1", Verdict.LIMIT);

        assertThat(explain("1").path("verdict").asText()).isEqualTo("due");
    }

    @Test
    void a_rate_that_is_used_up_tells_when_the_next_jobs_start() throws Exception {
        queue.types().change("email", settings -> settings.withRate(new Rate(1, Duration.ofDays(1))));
        queue.add(request("a").build());
        accept();
        queue.add(request("1").build());

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("rate");
        assertThat(why.path("because").asText()).contains("1 job in 24h");

        doWhatIsSaid("1", Verdict.RATE);

        assertThat(explain("1").path("verdict").asText()).isEqualTo("due");
    }

    @Test
    void a_class_that_is_not_claimed_is_named() {
        queue.types().change("email", settings -> settings.withClasses(List.of("fast")));
        queue.add(request("1").jobClass("slow").build());

        assertThat(explain("1").path("also")).anySatisfy(reason -> {
            assertThat(reason.path("verdict").asText()).isEqualTo("filtered");
            assertThat(reason.path("because").asText()).contains("\"fast\"", "\"slow\"");
        });

        doWhatIsSaid("1", Verdict.FILTERED);

        assertThat(queue.types().settings("email").classes()).hasValue(Set.of("fast", "slow"));
        assertThat(explain("1").path("also")).isEmpty();
    }

    @Test
    void a_job_without_a_class_is_let_in_beside_the_classes_that_are() {
        queue.types().change("email", settings -> settings.withClasses(List.of("fast")));
        queue.add(request("1").build());

        doWhatIsSaid("1", Verdict.FILTERED);

        assertThat(queue.types().settings("email").classes()).hasValue(Set.of("fast", ""));
    }

    @Test
    void a_job_that_waits_for_a_malformed_one_is_explained() {
        queue.database().put(job("{\"_id\":\"job:email:first\",\"status\":\"paused\",\"data\":{}}"));
        queue.add(request("1").after(new JobId("email", "first")).build());

        JsonNode why = explain("1");

        assertThat(why.path("because").asText()).isEqualTo("it waits for email:first (its document cannot be a job)");
        assertThat(why.path("do").asText())
                .isEqualTo(
                        "couchjobs explain email first tells what is wrong with that document; couchjobs retry email 1"
                                + " runs this one without it");
    }

    @Test
    void a_job_that_the_next_claim_ends_tells_how() {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .filter(job -> false)
                .start()) {
            queue.database()
                    .put(job("{\"_id\":\"job:email:1\",\"status\":\"waiting\",\"data\":{},\"endAs\":\"cancelled\"}"));

            JsonNode why = explain("1");

            assertThat(why.path("verdict").asText()).isEqualTo("due");
            assertThat(why.path("because").asText()).contains("its owner died", "cancels it and does not run it");
            assertThat(worker.stats().running()).isZero();
            doWhatIsSaid("1", Verdict.DUE);
        }

        assertThat(explain("1").path("verdict").asText()).isEqualTo("finished");
    }

    @Test
    void jobs_that_wait_for_each_other_are_named_and_one_is_set_free() {
        queue.add(request("a").after(new JobId("email", "b")).build());
        queue.add(request("b").after(new JobId("email", "c")).build());
        queue.add(request("c").after(new JobId("email", "a")).build());

        assertThat(explain("a").path("because").asText())
                .isEqualTo("it waits for email:b, which waits for email:c, which waits for it: none of them ever runs");

        doWhatIsSaid("a", Verdict.HELD);

        assertThat(explain("a").path("verdict").asText()).isEqualTo("no-worker");
        assertThat(explain("c").path("because").asText()).isEqualTo("it waits for email:a");
    }

    @Test
    void commands_are_not_broken_into_lines() {
        String id = "an-id-that-has-just-about-the-length-at-which-the-line-ends";
        queue.add(request(id).after(new JobId("email", "first")).build());

        assertThat(TestShell.at(database).run("explain", "email", id).out())
                .contains("couchjobs enqueue email first", "couchjobs retry email " + id)
                .doesNotContain(Reason.NO_BREAK);
    }

    @Test
    void a_running_job_names_its_owner_and_one_without_a_sign_of_life_can_be_released() throws Exception {
        queue.add(request("1").build());
        accept();

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("running");
        assertThat(why.path("because").asText()).contains("worker ", "has been running it for", "no sign of life");
        assertThat(why.path("do").asText())
                .startsWith("no worker lives that could")
                .contains("couchjobs release email 1");
    }

    @Test
    void a_finished_job_tells_how_it_ended() throws Exception {
        queue.add(request("1").build());
        accept().finish();

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("finished");
        assertThat(why.path("because").asText()).startsWith("it ended as success");
    }

    @Test
    void a_document_that_cannot_be_a_job_is_malformed_by_its_field() throws Exception {
        ObjectNode wrong = (ObjectNode)
                MAPPER.readTree("{\"_id\":\"job:email:1\",\"status\":\"waiting\",\"data\":{},\"attempt\":\"many\"}");
        queue.database().put(wrong);

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("malformed");
        assertThat(why.path("because").asText()).contains("attempt");
        assertThat(why.path("do").asText()).contains("PUT", "_rev", "couchjobs remove email 1");
    }

    @Test
    void a_document_with_several_leaves_is_a_conflict() {
        queue.add(request("1").build());
        ObjectNode leaf = queue.database().get("job:email:1").orElseThrow();
        leaf.put("_rev", "1-00000000000000000000000000000000").put("origin", "elsewhere");
        leaf.putObject("_revisions").put("start", 1).putArray("ids").add("00000000000000000000000000000000");
        queue.database().bulkRevisions(List.of(leaf));

        JsonNode why = explain("1");

        assertThat(List.of(
                        why.path("verdict").asText(),
                        why.path("also").path(0).path("verdict").asText()))
                .contains("conflict");
    }

    @Test
    void a_job_of_another_site_is_run_there() {
        TestShell.at(database).run("init", "--site", "paris");
        queue.database().put(job("{\"_id\":\"job:email:1\",\"status\":\"waiting\",\"data\":{},\"site\":\"rome\"}"));

        JsonNode why = explain("1");

        assertThat(why.path("verdict").asText()).isEqualTo("other-site");
        assertThat(why.path("because").asText()).contains("site rome", "site paris");
    }

    @Test
    void the_running_jobs_of_another_site_take_no_places() {
        reopenAtSite("paris");
        queue.types().change("email", settings -> settings.with(Limit.RUNNING, 1));
        queue.database()
                .put(job("{\"_id\":\"job:email:theirs\",\"status\":\"running\",\"data\":{},\"site\":\"rome\","
                        + "\"lock\":{\"token\":\"t\",\"worker\":\"w\",\"since\":1}}"));
        queue.add(request("1").build());

        assertThat(explain("1").path("verdict").asText()).isEqualTo("no-worker");
    }

    @Test
    void a_rate_counts_the_starts_at_the_site_of_the_database() throws Exception {
        reopenAtSite("paris");
        queue.types().change("email", settings -> settings.withRate(new Rate(1, Duration.ofDays(1))));
        queue.add(request("a").build());
        accept();
        queue.add(request("1").build());

        assertThat(explain("1").path("verdict").asText()).isEqualTo("rate");
    }

    private void reopenAtSite(String site) {
        TestShell.at(database).run("init", "--site", site);
        queue.close();
        queue = TestShell.queue(database);
    }

    @Test
    void people_get_sentences_of_short_lines_and_a_missing_job_is_not_found() {
        queue.add(request("a job").build());

        TestShell.Said said = TestShell.at(database).run("explain", "email", "a job");
        TestShell.Said missing = TestShell.at(database).run("explain", "email", "nosuch");

        assertThat(said.exitCode()).isZero();
        assertThat(said.out()).startsWith("no-worker: no live worker takes type email\n  do: start one that does");
        assertThat(said.out().lines()).allMatch(line -> line.length() <= 100);
        assertThat(TestShell.at(database)
                        .run("explain", "email", "a job", "-o", "csv")
                        .out())
                .startsWith("VERDICT,BECAUSE,DO");
        assertThat(missing.exitCode()).isEqualTo(ExitCode.NOT_FOUND.number());
        assertThat(missing.err()).contains("email:nosuch", "no document job:email:nosuch");
    }

    private JsonNode explain(String id) {
        TestShell.Said said = TestShell.at(database).run("explain", "email", id, "-o", "json");
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said.json();
    }

    /** Types the first command that a reason names. */
    private void doWhatIsSaid(String id, Verdict verdict) {
        Reason reason = Explainer.explain(queue, new JobId("email", id)).stream()
                .filter(each -> each.verdict() == verdict)
                .findFirst()
                .orElseThrow();
        TestShell.at(database)
                .done(reason.commands().get(0).substring("couchjobs ".length()).split(" "));
    }

    private ClaimedJob accept() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(60)))
                .get(0);
    }

    private static JobRequest.Builder request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of());
    }

    private static ObjectNode job(String json) {
        try {
            return (ObjectNode) MAPPER.readTree(json);
        } catch (java.io.IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}

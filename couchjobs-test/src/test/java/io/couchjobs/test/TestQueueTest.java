package io.couchjobs.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.couchjobs.JobArrays;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.worker.ChunkHandler;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.RunReport.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The test kit itself. */
@CouchJobsTest
class TestQueueTest {
    private final List<String> ran = new ArrayList<>();

    @Test
    void the_parts_are_parts_of_the_same_queue(TestQueue jobs, JobQueue queue, TestClock clock, TestFaults faults) {
        assertThat(queue).isSameAs(jobs.queue());
        assertThat(clock).isSameAs(jobs.clock());
        assertThat(faults).isSameAs(jobs.faults());
        assertThat(jobs.queue().types().names()).isEmpty();
    }

    @Test
    void draining_runs_what_is_due_and_what_that_adds_in_the_callers_thread(TestQueue jobs) throws Exception {
        jobs.handler("order", (data, context) -> {
            note(context.id());
            return jobs.queue().insert(request("email", context.id().id())).id().id();
        });
        jobs.handler("email", (data, context) -> {
            note(context.id());
            return null;
        });
        jobs.queue().add(request("order", "1"));
        jobs.queue().add(request("order", "2"));
        jobs.queue().add(request("other", "3"));
        List<RunReport> reports = jobs.drain();
        assertThat(reports).extracting(RunReport::outcome).containsOnly(Outcome.SUCCEEDED);
        String here = Thread.currentThread().getName();
        assertThat(ran)
                .containsExactlyInAnyOrder("order:1 " + here, "order:2 " + here, "email:1 " + here, "email:2 " + here);
        assertThat(jobs.queue().get("other", "3").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
    }

    @Test
    void a_job_that_is_for_later_runs_when_the_clock_has_moved(TestQueue jobs) throws Exception {
        Instant later = jobs.clock().instant().plus(Duration.ofDays(400));
        jobs.queue()
                .add(JobRequest.builder("email")
                        .id("1")
                        .data(Map.of())
                        .scheduledTime(later)
                        .build());
        jobs.handler("email", (data, context) -> null);
        assertThat(jobs.drainAfter(Duration.ofDays(399))).isEmpty();
        assertThat(jobs.drainAfter(Duration.ofDays(1))).hasSize(1);
        assertThat(jobs.queue().get("email", "1").orElseThrow().times()).containsEntry("finished", later);
    }

    @Test
    void items_of_an_array_that_fail_run_again_when_the_clock_has_moved(TestQueue jobs) throws Exception {
        jobs.queue()
                .addArray(
                        JobType.of("page", Map.class),
                        "crawl",
                        List.of(Map.of("n", 1), Map.of("n", 2), Map.of("n", 3)));
        EnqueuedArray array = jobs.assertArray("page", "crawl").size(3).withStatus(JobStatus.WAITING, 3);
        jobs.handler("page", (data, context) -> {
            if (data.path("n").asInt() == 2 && context.attempt() == 1) {
                throw new IllegalStateException("no answer");
            }
            return ran.add(data.path("n").asText());
        });
        jobs.drain();
        assertThat(ran).containsExactly("1", "3");
        array.withStatus(JobStatus.SUCCESS, 2).withStatus(JobStatus.STUCK, 1);
        jobs.drainAfter(Duration.ofMinutes(1));
        assertThat(ran).containsExactly("1", "3", "2");
        assertThat(array.state().isFinished()).isTrue();
        assertThat(array.items().map(JobArrays.Item::status)).containsOnly(JobStatus.SUCCESS);
    }

    @Test
    void a_handler_of_many_items_gets_them_together(TestQueue jobs) throws Exception {
        JobType<Page> pages = JobType.of("page", Page.class);
        jobs.queue().addArray(pages, "crawl", List.of(new Page(1), new Page(2), new Page(3)));
        jobs.handler(pages, ChunkHandler.upTo(2, (items, context) -> ran.add("" + items.size())));
        jobs.drain();
        assertThat(ran).containsExactly("2", "1");
        jobs.assertArray(pages, "crawl").withStatus(JobStatus.SUCCESS, 3);
    }

    @Test
    void an_array_that_is_not_there_or_is_another_is_described(TestQueue jobs) {
        assertThatThrownBy(() -> jobs.assertArray("page", "crawl"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("no array page:crawl was added");
        jobs.queue().addArray(JobType.of("page", Page.class), "crawl", List.of(new Page(1)));
        EnqueuedArray array = jobs.assertArray("page", "crawl");
        assertThatThrownBy(() -> array.size(2))
                .isInstanceOf(AssertionError.class)
                .hasMessage("expected 2 items; array page:crawl has 1:\n  0 waiting");
        assertThatThrownBy(() -> array.withItems(List.of(new Page(2))))
                .hasMessageContaining("expected the items [{\"n\":2}], but it has [{\"n\":1}]");
    }

    @Test
    void the_items_of_an_array_are_compared_though_its_chunks_are_large(TestQueue jobs) {
        List<Map<String, String>> mails =
                Collections.nCopies(500, Map.of("to", "customer@example.org", "subject", "x".repeat(30)));
        jobs.queue().addArray(JobType.of("email", Map.class), "campaign", mails);
        jobs.assertArray("email", "campaign").withItems(mails);
    }

    record Page(int n) {}

    @Test
    void a_job_that_waits_for_others_runs_after_them(TestQueue jobs) throws Exception {
        jobs.queue().addBatch(List.of(request("page", "1"), request("page", "2")), request("binding", "b"));
        jobs.handler("binding", (data, context) -> ran.add("binding"));
        jobs.handler("page", (data, context) -> ran.add("page"));
        assertThat(jobs.drain()).hasSize(3);
        assertThat(ran).containsExactly("page", "page", "binding");
    }

    @Test
    void schedules_tick_by_the_clock(TestQueue jobs) throws Exception {
        jobs.queue()
                .schedules()
                .put(Schedule.named("nightly")
                        .every(Duration.ofHours(24))
                        .job(JobRequest.of("report", Map.of()))
                        .build());
        jobs.handler("report", (data, context) -> null);
        assertThat(jobs.drain()).isEmpty();
        assertThat(jobs.drainAfter(Duration.ofHours(25))).hasSize(1);
        assertThat(jobs.drain()).isEmpty();
        assertThat(jobs.drainAfter(Duration.ofHours(24))).hasSize(1);
    }

    @Test
    void a_claim_that_loses_to_another_write_is_tried_again(TestQueue jobs) throws Exception {
        jobs.queue().add(request("email", "1"));
        jobs.handler("email", (data, context) -> null);
        jobs.faults().conflictOn("email", "1");
        assertThat(jobs.drain()).hasSize(1);
        assertThat(jobs.queue()
                        .get("email", "1")
                        .orElseThrow()
                        .toDocument()
                        .path("touched")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void requests_fail_as_often_as_was_said(TestQueue jobs) {
        jobs.queue().add(request("email", "1"));
        long before = jobs.queue().database().server().requestCount();
        jobs.queue().add(request("email", "2"));
        long usual = jobs.queue().database().server().requestCount() - before;
        jobs.faults().failNextWrites(1, 500);
        jobs.queue().add(request("email", "3"));
        assertThat(jobs.queue().database().server().requestCount() - before).isGreaterThan(2 * usual);
        jobs.assertEnqueued("email").times(3);
        jobs.faults().failNext(1, 500);
        assertThatThrownBy(() -> jobs.queue().get("email", "1"))
                .isInstanceOfSatisfying(
                        CouchException.class, e -> assertThat(e.status()).isEqualTo(500));
        assertThat(jobs.queue().get("email", "1")).isPresent();
    }

    @Test
    void a_write_whose_answer_is_lost_happens_once(TestQueue jobs) throws Exception {
        jobs.faults().loseNextAnswer();
        jobs.queue().add(request("email", "1"));
        jobs.assertEnqueued("email").once();
        jobs.handler("email", (data, context) -> {
            jobs.faults().loseNextAnswer();
            return "sent";
        });
        assertThat(jobs.drain()).extracting(RunReport::outcome).containsExactly(Outcome.SUCCEEDED);
        jobs.assertEnqueued("email").withStatus(JobStatus.SUCCESS);
    }

    @Test
    void an_assertion_that_fails_says_what_there_is(TestQueue jobs) {
        assertThatThrownBy(() -> jobs.assertEnqueued("email"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("there is none of email");
        jobs.queue()
                .add(JobRequest.builder("email").id("1").data(Map.of("n", 7L)).build());
        jobs.assertEnqueued("email").withData(Map.of("n", 7L)).withId("1").once();
        assertThatThrownBy(() -> jobs.assertEnqueued("email").withData(Map.of("n", 8)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("no job email with data {\"n\":8} was added, there is 1 of email:"
                        + "\n  email:1 waiting, due at once, data {\"n\":7}");
        assertThatThrownBy(() -> jobs.assertEnqueued("email").withDataContaining(Map.of("m", 7)))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> jobs.assertEnqueued("email").times(2)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> jobs.assertEnqueued("email").dueIn(Duration.ofDays(1)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(
                        "The clock of the test shows " + jobs.clock().instant())
                .hasMessageContaining("TestQueue.clock()");
        assertThatThrownBy(() -> jobs.assertEnqueued("email").inGroup("a")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> jobs.assertEnqueued("email").withTag("a")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> jobs.assertNotEnqueued("email")).isInstanceOf(AssertionError.class);
    }

    @Test
    void jobs_that_are_due_and_have_no_handler_are_told_with_the_handlers_that_there_are(TestQueue jobs)
            throws Exception {
        jobs.handler("confirmatoin", (data, context) -> null);
        jobs.handler("reminder", (data, context) -> null);
        jobs.queue().add(request("confirmation", "1"));
        jobs.queue()
                .add(JobRequest.builder("letter")
                        .id("1")
                        .data(Map.of())
                        .scheduledTime(jobs.clock().instant().plus(Duration.ofDays(1)))
                        .build());
        String hint =
                "drain() left due jobs of type confirmation. handler(type, ...) gave it no handler; where another exists,"
                        + " a pause or a limit keeps the jobs; the types with a handler are confirmatoin, reminder";
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(TestQueue.class);
        logger.addAppender(log);
        try {
            assertThat(jobs.drain()).isEmpty();
            assertThat(jobs.drain()).isEmpty();
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(hint);
        assertThatThrownBy(() -> jobs.assertEnqueued("confirmation").withStatus(JobStatus.SUCCESS))
                .hasMessageEndingWith("\n" + hint);
        jobs.handler("confirmation", (data, context) -> null);
        assertThat(jobs.drain()).hasSize(1);
        assertThatThrownBy(() -> jobs.assertEnqueued("confirmation").times(2)).hasMessageNotContaining("drain()");
    }

    @Test
    void a_job_that_has_ended_is_not_due(TestQueue jobs) throws Exception {
        jobs.handler("confirmation", (data, context) -> null);
        jobs.queue().add(request("confirmation", "1"));
        jobs.drain();
        jobs.queue().add(request("confirmation", "2"));
        jobs.assertEnqueued("confirmation").times(2);
        assertThat(jobs.assertEnqueued("confirmation").dueNow().job().id().id()).isEqualTo("2");
        jobs.drain();
        assertThatThrownBy(() -> jobs.assertEnqueued("confirmation").dueNow())
                .hasMessageStartingWith("no job confirmation that is due now was added, there are 2 of confirmation:");
    }

    @Test
    void a_job_that_waits_for_another_one_is_not_due(TestQueue jobs) {
        JobId mail = jobs.queue().add(request("mail", "1")).id();
        jobs.queue().add(JobRequest.builder("report").data(Map.of()).after(mail).build());
        assertThatThrownBy(() -> jobs.assertEnqueued("report").dueNow())
                .hasMessageStartingWith("no job report that is due now was added");
    }

    @Test
    void draining_without_handlers_is_a_mistake(TestQueue jobs) {
        assertThatThrownBy(jobs::drain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("handler");
    }

    private void note(JobId id) {
        ran.add(id + " " + Thread.currentThread().getName());
    }

    private static JobRequest request(String type, String id) {
        return JobRequest.builder(type).id(id).data(Map.of()).build();
    }
}

package io.couchjobs.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.schedule.Schedules;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which jobs the ticks of a schedule come to, with a clock that the test sets. */
@ServerTest
class TickMakerTest {
    private static final Instant NINE = Instant.parse("2026-11-21T09:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private final AtomicReference<Instant> now = new AtomicReference<>(NINE.minusSeconds(60));
    private JobQueue queue;
    private SteppedSchedules stepped;
    private Schedules schedules;
    private TickMaker maker;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        stepped = new SteppedSchedules(queue, now::get);
        schedules = stepped.schedules();
        maker = stepped.maker();
    }

    @AfterEach
    void close() {
        stepped.close();
        queue.close();
    }

    @Test
    void a_tick_makes_a_job_whose_id_says_which() {
        schedules.put(hourly().job(JobRequest.builder("report")
                        .data(Map.of("n", 7))
                        .group("g")
                        .priority(70)
                        .maxRetries(2)
                        .tag("nightly")
                        .jobClass("heavy")
                        .build())
                .build());
        makeAt(NINE.minusMillis(1));
        assertThat(made()).isEmpty();
        makeAt(NINE);
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z");
        Job job = queue.get("report", "hourly@2026-11-21T09:00Z").orElseThrow();
        assertThat(job.scheduledTime()).isEqualTo(NINE);
        assertThat(job.data().path("n").asInt()).isEqualTo(7);
        assertThat(job.group()).isEqualTo("g");
        assertThat(job.priority()).isEqualTo(70);
        assertThat(job.maxRetries()).hasValue(2);
        assertThat(job.tags()).containsExactly("nightly");
        assertThat(job.jobClass()).contains("heavy");
        assertThat(job.origin()).contains("schedule:hourly");
        assertThat(job.correlationId()).contains("schedule:hourly");
        assertThat(schedule().last()).contains(NINE);
        makeAt(NINE.plusSeconds(1));
        assertThat(made()).hasSize(1);
    }

    @Test
    void large_data_of_a_schedule_is_attached_to_its_jobs() {
        String large = "x".repeat(40 * 1024);
        schedules.put(
                hourly().job(JobRequest.of("report", Map.of("text", large))).build());
        makeAt(NINE);
        String docId = new JobId("report", "hourly@2026-11-21T09:00Z").docId();
        assertThat(queue.database().get(docId).orElseThrow().has("_attachments"))
                .isTrue();
        assertThat(queue.get("report", "hourly@2026-11-21T09:00Z")
                        .orElseThrow()
                        .data()
                        .path("text")
                        .asText())
                .isEqualTo(large);
    }

    @Test
    void missed_ticks_are_made_up_for_by_one_job_and_then_the_next_tick_counts() {
        schedules.put(hourly().build());
        makeAt(NINE.plus(HOUR.multipliedBy(24)).plusSeconds(5));
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z");
        assertThat(schedule().last()).contains(NINE.plus(HOUR.multipliedBy(24)));
        finish("hourly@2026-11-21T09:00Z");
        makeAt(NINE.plus(HOUR.multipliedBy(25)));
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z", "hourly@2026-11-22T10:00Z");
    }

    @Test
    void missed_ticks_can_be_left_out() {
        schedules.put(hourly().missed(Schedule.MissedPolicy.SKIP).build());
        makeAt(NINE.plus(HOUR.multipliedBy(3)).plusSeconds(61));
        assertThat(made()).isEmpty();
        makeAt(NINE.plus(HOUR.multipliedBy(7)).plusSeconds(59));
        assertThat(made()).containsExactly("hourly@2026-11-21T16:00Z");
    }

    @Test
    void every_tick_that_is_late_by_less_than_a_minute_has_its_job_when_missed_ones_are_left_out() {
        schedules.put(hourly().cron("*/20 * * * * *")
                .missed(Schedule.MissedPolicy.SKIP)
                .overlap(Schedule.OverlapPolicy.ALLOW)
                .build());
        makeAt(NINE.plusSeconds(1));
        makeAt(NINE.plus(HOUR).plusSeconds(25));
        assertThat(made().stream().filter(id -> id.compareTo("hourly@2026-11-21T09:00Z") > 0))
                .containsExactlyInAnyOrder(
                        "hourly@2026-11-21T09:59:40Z", "hourly@2026-11-21T10:00Z", "hourly@2026-11-21T10:00:20Z");
    }

    @Test
    void missed_ticks_can_all_have_their_jobs_up_to_a_hundred() {
        schedules.put(hourly().missed(Schedule.MissedPolicy.ALL)
                .overlap(Schedule.OverlapPolicy.ALLOW)
                .build());
        makeAt(NINE.plus(HOUR.multipliedBy(4)));
        assertThat(made()).hasSize(5);
        makeAt(NINE.plus(HOUR.multipliedBy(300)));
        assertThat(made()).hasSize(105);
        assertThat(schedule().last()).contains(NINE.plus(HOUR.multipliedBy(300)));
        assertThat(schedule().runs()).hasSize(10);
    }

    @Test
    void a_tick_is_skipped_while_an_earlier_job_is_not_finished() {
        schedules.put(hourly().build());
        makeAt(NINE);
        makeAt(NINE.plus(HOUR));
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z");
        finish("hourly@2026-11-21T09:00Z");
        makeAt(NINE.plus(HOUR).plusSeconds(600));
        assertThat(made()).hasSize(1);
        makeAt(NINE.plus(HOUR.multipliedBy(2)));
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z", "hourly@2026-11-21T11:00Z");
    }

    @Test
    void a_job_run_by_hand_counts_as_a_run() {
        schedules.put(hourly().build());
        Job byHand = schedules.runNow("hourly");
        assertThat(byHand.id().id()).isEqualTo("hourly@2026-11-21T08:59Z");
        makeAt(NINE);
        assertThat(made()).hasSize(1);
        finish(byHand.id().id());
        makeAt(NINE.plus(HOUR));
        assertThat(made()).hasSize(2).contains("hourly@2026-11-21T10:00Z");
        Job second = schedules.runNow("hourly");
        assertThat(second.id().id()).isEqualTo("hourly@2026-11-21T10:00:00.001Z");
    }

    @Test
    void jobs_may_overlap_when_they_are_allowed_to() {
        schedules.put(hourly().overlap(Schedule.OverlapPolicy.ALLOW).build());
        for (int i = 0; i < 15; i++) {
            makeAt(NINE.plus(HOUR.multipliedBy(i)));
        }
        assertThat(made()).hasSize(15);
        assertThat(schedule().runs()).hasSize(10);
    }

    @Test
    void a_tick_whose_job_was_removed_is_not_made_again() {
        schedules.put(hourly().build());
        ObjectNode asItWas = queue.database().get("schedule:hourly").orElseThrow();
        makeAt(NINE);
        queue.remove("report", "hourly@2026-11-21T09:00Z");
        // As if whoever made it had died before it could note that.
        setBack(asItWas);
        makeAt(NINE.plusSeconds(2));
        assertThat(made()).isEmpty();
        assertThat(schedule().last()).contains(NINE);
    }

    @Test
    void after_a_job_whose_maker_died_the_later_ticks_still_have_theirs() {
        schedules.put(hourly().build());
        ObjectNode asItWas = queue.database().get("schedule:hourly").orElseThrow();
        makeAt(NINE);
        finish("hourly@2026-11-21T09:00Z");
        setBack(asItWas);
        makeAt(NINE.plus(HOUR.multipliedBy(3)));
        assertThat(schedule().last()).contains(NINE);
        maker.make("hourly");
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z", "hourly@2026-11-21T10:00Z");
        assertThat(schedule().last()).contains(NINE.plus(HOUR.multipliedBy(3)));
    }

    @Test
    void a_job_that_made_up_for_several_ticks_is_not_doubled_when_its_maker_dies() {
        schedules.put(hourly().build());
        ObjectNode asItWas = queue.database().get("schedule:hourly").orElseThrow();
        makeAt(NINE.plus(HOUR.multipliedBy(3)));
        setBack(asItWas);
        finish("hourly@2026-11-21T09:00Z");
        makeAt(NINE.plus(HOUR.multipliedBy(3)).plusSeconds(1));
        maker.make("hourly");
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z");
        assertThat(schedule().last()).contains(NINE.plus(HOUR.multipliedBy(3)));
    }

    @Test
    void a_job_whose_maker_died_overlaps_with_no_later_one_when_late_ticks_are_left_out() {
        schedules.put(hourly().missed(Schedule.MissedPolicy.SKIP)
                .overlap(Schedule.OverlapPolicy.SKIP)
                .build());
        ObjectNode asItWas = queue.database().get("schedule:hourly").orElseThrow();
        makeAt(NINE);
        setBack(asItWas);
        makeAt(NINE.plus(HOUR));
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z");
        assertThat(schedule().last()).contains(NINE.plus(HOUR));
        finish("hourly@2026-11-21T09:00Z");
        makeAt(NINE.plus(HOUR.multipliedBy(2)));
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z", "hourly@2026-11-21T11:00Z");
    }

    @Test
    void the_first_note_of_a_schedule_that_was_written_by_hand_passes_over_no_tick() {
        schedules.put(hourly().build());
        ObjectNode byHand = queue.database().get("schedule:hourly").orElseThrow();
        byHand.remove("last");
        setBack(byHand);
        TickMaker later = maker(() -> {
            makeAt(NINE.minusMillis(1));
            return NINE.plusMillis(1);
        });
        later.make("hourly");
        makeAt(NINE.plusMillis(2));
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z");
    }

    @Test
    void racing_makers_with_different_clocks_make_each_tick_once() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        schedules.put(hourly().overlap(Schedule.OverlapPolicy.ALLOW).build());
        int makers = 6;
        int hours = 12;
        CyclicBarrier together = new CyclicBarrier(makers);
        ExecutorService threads = Executors.newFixedThreadPool(makers);
        List<Future<?>> done = new ArrayList<>();
        for (int m = 0; m < makers; m++) {
            // One is an hour behind, the others a few milliseconds apart.
            Duration behind = m == 0 ? HOUR : Duration.ofMillis(random.nextInt(5));
            TickMaker one = maker(() -> now.get().minus(behind));
            done.add(threads.submit(() -> {
                for (int h = 0; h < hours; h++) {
                    together.await();
                    now.set(NINE.plus(HOUR.multipliedBy(h)).plusMillis(5));
                    together.await();
                    makeAsScheduled(one);
                }
                return null;
            }));
        }
        for (Future<?> one : done) {
            one.get();
        }
        threads.shutdown();
        assertThat(made()).as("seed %d", seed).hasSize(hours);
        assertThat(schedule().last()).contains(NINE.plus(HOUR.multipliedBy(hours - 1)));
        for (String id : made()) {
            assertThat(queue.get("report", id).orElseThrow().rev().orElseThrow())
                    .startsWith("1-");
        }
    }

    /** What nobody confirmed, because others made it at the same moment, is made again, as by the scheduler. */
    private static void makeAsScheduled(TickMaker maker) {
        while (!isConfirmed(maker)) {
            Thread.onSpinWait();
        }
    }

    private static boolean isConfirmed(TickMaker maker) {
        try {
            maker.make("hourly");
            return true;
        } catch (UnconfirmedException race) {
            return false;
        }
    }

    @Test
    void racing_makers_make_up_for_missed_ticks_once_though_one_looks_later() throws Exception {
        schedules.put(hourly().build());
        Instant late = NINE.plus(HOUR.multipliedBy(5));
        List<TickMaker> makers =
                List.of(maker(() -> late.minusMillis(1)), maker(() -> late), maker(() -> late.plusMillis(1)));
        ExecutorService threads = Executors.newFixedThreadPool(makers.size());
        List<Future<?>> done = new ArrayList<>();
        makers.forEach(one -> done.add(threads.submit(() -> makeAsScheduled(one))));
        for (Future<?> one : done) {
            one.get();
        }
        threads.shutdown();
        assertThat(made()).containsExactly("hourly@2026-11-21T09:00Z");
    }

    @Test
    void a_schedule_with_another_timing_ticks_by_that_from_then_on() {
        schedules.put(hourly().build());
        now.set(NINE.plus(HOUR.multipliedBy(10)));
        schedules.put(hourly().cron("30 * * * *").build());
        maker.make("hourly");
        assertThat(made()).isEmpty();
        makeAt(NINE.plus(HOUR.multipliedBy(10)).plusSeconds(1800));
        assertThat(made()).containsExactly("hourly@2026-11-21T19:30Z");
    }

    @Test
    void a_disabled_schedule_makes_nothing_and_an_enabled_one_makes_up_for_nothing() {
        schedules.put(hourly().build());
        schedules.disable("hourly");
        makeAt(NINE.plus(HOUR));
        assertThat(made()).isEmpty();
        schedules.enable("hourly");
        maker.make("hourly");
        assertThat(made()).isEmpty();
        makeAt(NINE.plus(HOUR.multipliedBy(2)));
        assertThat(made()).containsExactly("hourly@2026-11-21T11:00Z");
    }

    @Test
    void a_removed_schedule_makes_nothing() {
        schedules.put(hourly().build());
        schedules.remove("hourly");
        now.set(NINE);
        TickMaker.Outcome outcome = maker.make("hourly");
        assertThat(outcome.schedule()).isEmpty();
        assertThat(queue.database().get("schedule:hourly")).isEmpty();
    }

    @Test
    void a_document_put_by_hand_ticks_from_when_it_was_first_seen() throws Exception {
        put("""
                {"_id":"schedule:hourly","cron":"0 * * * *","job":{"type":"report"},"note":"mine"}""");
        makeAt(NINE.plusSeconds(1));
        assertThat(made()).isEmpty();
        makeAt(NINE.plus(HOUR));
        assertThat(made()).containsExactly("hourly@2026-11-21T10:00Z");
        ObjectNode document = queue.database().get("schedule:hourly").orElseThrow();
        assertThat(document.path("note").asText()).isEqualTo("mine");
    }

    @Test
    void a_malformed_document_is_named_and_can_be_replaced_or_removed() throws Exception {
        Map<String, String> wrong = Map.of(
                "{}", "cron",
                "{\"cron\":\"0 25 * * *\",\"job\":{\"type\":\"report\"}}", "hour \"25\"",
                "{\"cron\":7,\"job\":{\"type\":\"report\"}}", "field cron",
                "{\"cron\":\"@daily\",\"zone\":\"Mars/Olympus\",\"job\":{\"type\":\"report\"}}", "Mars/Olympus",
                "{\"cron\":\"@daily\"}", "field job",
                "{\"cron\":\"@daily\",\"job\":{\"type\":\"a:b\"}}", "colon",
                "{\"cron\":\"@daily\",\"job\":{\"type\":\"a\",\"priority\":\"high\"}}", "priority",
                "{\"every\":5,\"job\":{\"type\":\"a\"}}", "every",
                "{\"cron\":\"@daily\",\"job\":{\"type\":\"a\"},\"enabled\":\"no\"}", "field enabled",
                "{\"cron\":\"@daily\",\"job\":{\"type\":\"a\"},\"last\":1e300}", "field last");
        for (Map.Entry<String, String> one : wrong.entrySet()) {
            put(one.getKey()
                    .replaceFirst(
                            "\\{",
                            one.getKey().equals("{}")
                                    ? "{\"_id\":\"schedule:hourly\""
                                    : "{\"_id\":\"schedule:hourly\","));
            assertThatThrownBy(() -> maker.make("hourly"))
                    .isInstanceOf(MalformedDocumentException.class)
                    .hasMessageContaining("hourly")
                    .hasMessageContaining(one.getValue());
            assertThat(schedules.list()).isEmpty();
            TestQueue.until(() -> schedules.malformed().keySet().equals(Set.of("hourly")));
            schedules.remove("hourly");
        }
        put("{\"_id\":\"schedule:hourly\",\"last\":\"x\",\"runs\":7}");
        assertThat(schedules.put(hourly().build()).outcome()).isEqualTo(Schedules.PutResult.Outcome.REPLACED);
        makeAt(NINE);
        assertThat(made()).hasSize(1);
    }

    private void makeAt(Instant time) {
        now.set(time);
        maker.make("hourly");
    }

    private TickMaker maker(InstantSource clock) {
        return stepped.maker(clock);
    }

    private static ScheduleRequest.Builder hourly() {
        return Schedule.named("hourly").cron("0 * * * *").job(JobRequest.of("report", Map.of()));
    }

    private Schedule schedule() {
        return schedules.get("hourly").orElseThrow();
    }

    private void finish(String id) {
        queue.cancel("report", id, CancelMode.IF_QUEUED);
    }

    private void setBack(ObjectNode document) {
        document.set(
                "_rev", queue.database().get("schedule:hourly").orElseThrow().get("_rev"));
        queue.database().put(document);
    }

    private void put(String json) throws Exception {
        queue.database().put((ObjectNode) new JsonMapper().readTree(json));
    }

    private List<String> made() {
        return List.copyOf(
                new TreeSet<>(queue.all("report").map(job -> job.id().id()).toList()));
    }
}

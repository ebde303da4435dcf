package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What users' dashboards see of a queue. */
@Tag("server")
@ExtendWith(CouchExtension.class)
class QueueMetricsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private TestDatabase database;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase its) {
        database = its;
        queue = opened(QueueMetrics.of(registry).readEvery(Duration.ZERO));
    }

    @AfterEach
    void close() {
        queue.close();
    }

    private JobQueue opened(QueueMetrics metrics) {
        return builder().extension(metrics).open();
    }

    private JobQueueBuilder builder() {
        JobQueueBuilder builder = JobQueue.builder(database.url()).renewLeases(false);
        database.user()
                .ifPresent(user -> builder.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        return builder;
    }

    /** On a server of its own, whose answers can be made wrong. */
    private void reopenOn(EmbeddedCouch couch, Duration readEvery) {
        queue.close();
        queue = JobQueue.builder(URI.create(couch.url() + "jobs"))
                .renewLeases(false)
                .extension(QueueMetrics.of(registry).readEvery(readEvery))
                .open();
    }

    @Test
    void runs_are_counted_by_type_and_by_how_they_ended() throws Exception {
        for (int n = 0; n < 3; n++) {
            queue.add(
                    JobRequest.builder("email").id("" + n).data(Map.of("n", n)).build());
        }
        Worker worker = queue.worker()
                .concurrency(1)
                .handler("email", (data, context) -> {
                    switch (data.path("n").asInt()) {
                        case 0 -> throw new PermanentJobException("on purpose");
                        case 1 -> throw new IllegalStateException("on purpose");
                        default ->
                            assertThat(registry.get("couchjobs.jobs.running")
                                            .tag("type", "email")
                                            .gauge()
                                            .value())
                                    .isEqualTo(1);
                    }
                    return null;
                })
                .maxJobs(3)
                .start();
        worker.awaitStopped();
        worker.close();
        assertThat(count("jobs.added")).isEqualTo(3);
        assertThat(count("jobs.claimed")).isEqualTo(3);
        assertThat(count("jobs.succeeded")).isEqualTo(1);
        assertThat(count("jobs.failed")).isEqualTo(1);
        assertThat(count("jobs.retried")).isEqualTo(1);
        assertThat(count("jobs.halted")).isZero();
        assertThat(count("claim.conflicts")).isZero();
        assertThat(registry.get("couchjobs.run.duration").timer().count()).isEqualTo(3);
        assertThat(registry.get("couchjobs.wait.duration").timer().count()).isEqualTo(3);
        assertThat(registry.get("couchjobs.jobs.running").gauge().value()).isZero();
    }

    @Test
    void a_job_waits_from_when_it_is_due() throws Exception {
        Instant due = Instant.now().minusSeconds(3600);
        queue.add(JobRequest.builder("email")
                .data(Map.of())
                .scheduledTime(due.minusSeconds(3600))
                .build());
        try (JobQueue later = builder()
                        .settableClock(() -> Instant.now().plusSeconds(3600))
                        .extension(QueueMetrics.of(registry).tags("queue", "later"))
                        .open();
                Worker worker = later.worker()
                        .handler("email", (data, context) -> null)
                        .maxJobs(1)
                        .start()) {
            worker.awaitStopped();
        }
        // It was due long before it was created: until then it could not run.
        assertThat(registry.get("couchjobs.wait.duration").timer().totalTime(TimeUnit.SECONDS))
                .isBetween(3590.0, 3700.0);
    }

    @Test
    void the_depth_is_read_when_somebody_asks() {
        queue.insert(JobRequest.builder("email").id("1").data(Map.of()).build());
        queue.insert(JobRequest.builder("email")
                .id("2")
                .data(Map.of())
                .scheduledTime(Instant.now().plusSeconds(3600))
                .build());
        until(() -> age() >= 0);
        until(() -> depth("waiting") == 2);
        assertThat(depth("failed")).isZero();
        assertThat(registry.get("couchjobs.queue.oldest.due")
                        .tag("type", "email")
                        .gauge()
                        .value())
                .isBetween(0.0, 3000.0);
        queue.remove("email", "1");
        until(() -> depth("waiting") == 1);
        until(() -> registry.get("couchjobs.queue.oldest.due").gauge().value() == 0);
    }

    @Test
    void a_job_that_does_not_say_when_it_was_created_has_waited_for_no_time_that_is_known() {
        ObjectNode bare = JsonNodeFactory.instance.objectNode().put("_id", "job:email:bare");
        bare.putObject("data");
        queue.database().put(bare);
        until(() -> age() >= 0);
        until(() -> depth("waiting") == 1);
        assertThat(registry.get("couchjobs.queue.oldest.due")
                        .tag("type", "email")
                        .gauge()
                        .value())
                .isZero();
    }

    @Test
    void nobody_asks_so_nothing_is_read_and_what_was_read_is_good_for_a_while() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
            reopenOn(couch, Duration.ofHours(1));
            List<String> asked = new CopyOnWriteArrayList<>();
            couch.faults().answer(1, request -> !asked.add(request.path()), 500);
            queue.add("email", Map.of());
            assertThat(asked).isNotEmpty().noneMatch(path -> path.contains("_view"));
            until(() -> age() >= 0);
            assertThat(asked).anyMatch(path -> path.contains("_view"));
            until(QueueMetricsTest::nothingIsRead);
            asked.clear();
            assertThat(depth("waiting")).isEqualTo(1);
            until(() -> age() >= 0);
            assertThat(asked).isEmpty();
            queue.close();
        }
    }

    @Test
    void while_the_database_is_away_there_are_no_numbers_rather_than_old_ones() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
            reopenOn(couch, Duration.ZERO);
            queue.add("email", Map.of());
            until(() -> age() >= 0);
            couch.faults().answer(Integer.MAX_VALUE, request -> true, 500);
            until(() -> Double.isNaN(age()));
            until(() -> registry.find("couchjobs.queue.depth").gauges().isEmpty());
            couch.faults().clear();
            until(() -> age() >= 0);
            until(() -> depth("waiting") == 1);
            queue.close();
        }
    }

    @Test
    void triggers_tell_how_far_they_are_and_without_one_there_is_nothing() {
        until(() -> age() >= 0);
        until(() -> triggers() == 0);
        CouchDatabase orders = queue.database().server().database(database.name() + "-orders");
        boolean unused = orders.createIfMissing();
        try {
            putTrigger(orders);
            until(() -> age() >= 0 && triggers() == 4);
            boolean tellsLag = !database.serverName().contains("PouchDB");
            until(() -> tellsLag ? trigger("lag") == 1 : Double.isNaN(trigger("lag")));
            assertThat(trigger("behind")).isGreaterThan(60);
            assertThat(trigger("jobs")).isEqualTo(7);
            assertThat(trigger("errors")).isEqualTo(2);
        } finally {
            orders.delete();
        }
        until(() -> Double.isNaN(trigger("lag")));
        assertThat(trigger("jobs")).isEqualTo(7);
        queue.triggers().remove("mails");
        until(() -> age() >= 0 && triggers() == 0);
    }

    /** A trigger that nobody follows, one change behind. */
    private void putTrigger(CouchDatabase orders) {
        queue.triggers()
                .put(Trigger.named("mails")
                        .source(orders.name())
                        .type("mail")
                        .paused()
                        .build());
        ObjectNode position =
                queue.database().get("follow:mails:" + orders.name()).orElseThrow();
        long behind = System.currentTimeMillis() - 120_000;
        queue.database().put(position.put("jobs", 7).put("failed", 2).put("behind", behind));
        orders.put(JsonNodeFactory.instance.objectNode().put("_id", "o1"));
    }

    private int triggers() {
        return (int) registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("couchjobs.trigger."))
                .count();
    }

    private double trigger(String what) {
        return registry.get("couchjobs.trigger." + what)
                .tag("trigger", "mails")
                .gauge()
                .value();
    }

    @Test
    void a_closed_queue_leaves_no_gauges() {
        queue.add("email", Map.of());
        until(() -> age() >= 0);
        queue.close();
        assertThat(registry.find("couchjobs.queue.depth").gauges()).isEmpty();
        assertThat(registry.find("couchjobs.queue.numbers.age").gauge()).isNull();
    }

    @Test
    void two_queues_need_metrics_of_their_own() {
        QueueMetrics metrics = QueueMetrics.of(new SimpleMeterRegistry());
        try (JobQueue first = opened(metrics)) {
            assertThatThrownBy(() -> opened(metrics).close())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("of its own");
            assertThat(first.operations().health().isUp()).isTrue();
        }
        opened(metrics).close();
    }

    @Test
    void the_feed_is_measured_by_the_writes_of_the_process() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        queue.operations().listen(event -> event.job()
                .filter(job -> job.id().id().equals("4") && job.phase() == JobPhase.FINISHED)
                .ifPresent(job -> told.countDown()));
        try (Worker worker =
                queue.worker().handler("email", (data, context) -> null).start()) {
            for (int n = 0; n < 5; n++) {
                queue.add(JobRequest.builder("email").id("" + n).data(Map.of()).build());
                assertThat(queue.awaitFinished("email", "" + n, PATIENCE)).isPresent();
            }
            assertThat(worker.concurrency()).isPositive();
            assertThat(told.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(registry.get("couchjobs.feed.lag").timer().count()).isPositive();
    }

    @Test
    void metrics_with_tags_register_each_meter_once_so_that_Prometheus_takes_it() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        QueueMetrics metrics = QueueMetrics.of(prometheus).tags("queue", "shop").readEvery(Duration.ZERO);
        try (JobQueue tagged = opened(metrics)) {
            assertThat(tagged.operations().health().isUp()).isTrue();
            assertThat(prometheus.find("couchjobs.feed.lag").meters()).hasSize(1);
            assertThat(prometheus.scrape()).contains("couchjobs_feed_lag_seconds_count{queue=\"shop\"}");
        }
    }

    private double age() {
        return registry.get("couchjobs.queue.numbers.age").gauge().value();
    }

    /** Two threads read the depths and the triggers. The depths may be known while the triggers are still being read. */
    private static boolean nothingIsRead() {
        return Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("couchjobs-metrics"));
    }

    /** A slow machine may need longer to read the index than a question for the metrics waits. */
    private static void until(BooleanSupplier holds) {
        long deadline = System.nanoTime() + 2 * PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("the time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private double count(String name) {
        return registry.get("couchjobs." + name).tag("type", "email").counter().count();
    }

    private double depth(String status) {
        return registry.get("couchjobs.queue.depth")
                .tag("type", "email")
                .tag("status", status)
                .gauge()
                .value();
    }
}

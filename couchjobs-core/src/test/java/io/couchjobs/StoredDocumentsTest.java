package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.gc.Sweeps;
import io.couchjobs.engine.history.HistoryOfWorkers;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.After;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Progress;
import io.couchjobs.job.Site;
import io.couchjobs.job.TraceContext;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Schemas;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.StoredDocuments;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.type.Retention;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.SnoozeException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** All that a queue stores fits the schemas of the document protocol. */
@ServerTest
class StoredDocumentsTest {
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");
    private static final String FENCED = "invoice";
    /** The documents of a user, which a trigger follows. */
    private static final String OURS = "audited-";

    private static final Set<String> ON_CLUSTERS = Set.of("local-probe");

    private final Set<ObjectNode> stored = new LinkedHashSet<>();

    @Test
    void each_document_that_a_queue_writes_fits_the_schema_of_its_kind(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            queue.operations().init();
            creators(queue);
            owners(queue);
            expirations(queue);
            workers(queue);
            schedules(queue);
            triggers(queue);
            scopes(queue);
            take(queue.database());
            garbage(queue);
            history(queue);
            sites(database, queue);
            take(queue.database());
        }
        assertThatAllFit();
        assertThat(kinds()).containsAll(without(ON_CLUSTERS, Schemas.kinds()));
    }

    @Test
    void each_document_that_a_queue_writes_on_a_cluster_fits_the_schema_of_its_kind() throws Exception {
        try (SimulatedCluster cluster = SimulatedCluster.start(3, 11);
                JobQueue queue = at(cluster, 0);
                JobQueue cutOff = at(cluster, 2)) {
            queue.operations().init();
            queue.types().change("email", settings -> settings.with(Limit.EXPIRATIONS, 3));
            for (int i = 0; i < 6; i++) {
                queue.insert(JobRequest.builder("email")
                        .id("job" + i)
                        .data(Map.of("i", i))
                        .build());
            }
            TestQueue.until(() -> cutOff.get("email", "job5").isPresent());
            cluster.stop(0);
            cluster.stop(1);
            List<ClaimedJob> inVain =
                    cutOff.accept(AcceptOptions.of("email").max(6).timeout(Duration.ofSeconds(1)));
            assertThat(inVain).isEmpty();
            assertThatThrownBy(() -> cutOff.types().change("email", settings -> settings.withPaused(true)))
                    .isInstanceOf(UnconfirmedException.class);
            TestQueue.until(() -> {
                take(cutOff.database());
                return stored.stream()
                        .anyMatch(document -> document.at("/lock/withdrawn").isObject());
            });
            cluster.stop(2);
            cluster.start(0);
            cluster.start(1);
            ClaimedJob claim = queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                    .get(0);
            claim.fenced(queue.database()).change(FENCED, invoice -> invoice.put("paid", 1));
            claim.finish(Map.of("done", true));
            queue.cancel("email", "job5", CancelMode.IF_QUEUED);
            queue.schedules()
                    .put(Schedule.named("nightly")
                            .every(Duration.ofDays(1))
                            .job(JobRequest.of("email", Map.of()))
                            .build());
            queue.schedules().remove("nightly");
            cluster.start(2);
            TestQueue.until(() -> {
                queue.operations().conflicts().forEach(queue.operations()::resolve);
                take(queue.database());
                return stored.stream().anyMatch(document -> document.has("resolved") && document.has("type"));
            });
        }
        assertThatAllFit();
        assertThat(kinds()).contains("local-probe", "fenced", "tombstone", "deleted");
        assertThat(stored)
                .anyMatch(document -> document.at("/uncounted/withdrawn").asBoolean());
        assertThat(stored)
                .anyMatch(document -> document.at("/uncounted/removed").asBoolean());
    }

    private static JobQueue at(SimulatedCluster cluster, int node) {
        return JobQueue.builder(cluster.urls().get(node).resolve("/jobs")).open();
    }

    private void creators(JobQueue queue) throws InterruptedException {
        queue.add(JobRequest.builder("create")
                .id("full")
                .data(Map.of("a", List.of(1, 2)))
                .scheduledTime(LATER)
                .group("shop")
                .priority(75)
                .maxRetries(2)
                .jobClass("bulk")
                .origin("test")
                .correlationId("order-1")
                .tag("one")
                .tag("two")
                .trace(new TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=b"))
                .build());
        queue.add(JobRequest.builder("create").id("full").data(Map.of()).build());
        queue.add("create", Map.of("large", "x".repeat(40_000)));
        queue.insertIfNew(
                JobRequest.builder("create").tracker("once").data(Map.of()).build());
        queue.addBatch(
                List.of(job("create", "page 1/2"), job("create", "page:2")),
                JobRequest.builder("create")
                        .id("book")
                        .data(Map.of())
                        .onFailure(After.OnFailure.CANCEL)
                        .build());
        queue.reschedule("create", "full", LATER);
        queue.setPriority("create", "full", 3);
        queue.resubmit("create", "full", Instant.EPOCH, Map.of("b", 1));
        queue.cancel("create", "full", CancelMode.IF_QUEUED);
        queue.retryNow("create", "full");
        queue.add(job("create", "gone"));
        queue.remove("create", "gone");
        queue.cancel("create", "page:2", CancelMode.IF_QUEUED);
        queue.operations().restore(List.of(queue.get("create", "page 1/2").orElseThrow()));
    }

    private void owners(JobQueue queue) throws Exception {
        for (String id : List.of("finish", "retry", "fail", "snooze", "release", "again", "stop")) {
            queue.add(job("own", id));
        }
        for (ClaimedJob claim : queue.accept(AcceptOptions.of("own").max(7).start(false))) {
            claim.start();
            claim.update(Map.of("n", 1));
            claim.update(new Progress(50, "half"));
            switch (claim.id().id()) {
                case "finish" -> {
                    claim.fenced(queue.database()).change(FENCED, invoice -> invoice.put("paid", 1));
                    claim.finishAndReplaceData(Map.of("n", 2), List.of("any", 1, true));
                }
                case "retry" -> claim.fail(JobError.Kind.FAILED, "no connection", "at a.b.C", false);
                case "fail" -> claim.fail(JobError.Kind.KILLED, "too long", null, true);
                case "snooze" -> claim.snooze(Duration.ofHours(1));
                case "release" -> claim.release();
                case "again" -> {
                    claim.resubmit(LATER);
                    claim.finish();
                }
                default -> {
                    queue.cancel("own", "stop", CancelMode.REQUEST);
                    claim.acknowledgeCancel("it was asked for");
                }
            }
        }
    }

    private void expirations(JobQueue queue) throws Exception {
        queue.types().change("short", settings -> settings.withTimeout(Duration.ofMillis(200))
                .with(Limit.EXPIRATIONS, 0));
        queue.add(job("short", "abandoned"));
        assertThat(queue.accept(AcceptOptions.of("short"))).hasSize(1);
        TestQueue.until(() -> {
            assertThat(queue.accept(AcceptOptions.of("short").timeout(Duration.ZERO)))
                    .isEmpty(); // on a cluster this ends it
            return queue.get("short", "abandoned").orElseThrow().status() == JobStatus.FAILED;
        });
    }

    private void workers(JobQueue queue) throws Exception {
        queue.types().change("work", StoredDocumentsTest::allSettings);
        for (String id : List.of("good", "bad", "later", "stuck")) {
            queue.add(JobRequest.builder("work")
                    .id(id)
                    .group("shop")
                    .jobClass("bulk")
                    .data(Map.of())
                    .build());
        }
        try (Worker worker = queue.worker()
                .id("mailer")
                .fair(2, 1)
                .concurrency(2)
                .prefetch(1)
                .handler("work", (data, context) -> {
                    context.log("begins");
                    context.progress(10, "begun");
                    take(queue.database());
                    return switch (context.id().id()) {
                        case "bad" -> throw new PermanentJobException("never");
                        case "later" -> throw new SnoozeException(Duration.ofHours(1));
                        case "stuck" -> throw new IllegalStateException("not now");
                        default -> Map.of("done", true);
                    };
                })
                .start()) {
            assertThat(TestQueue.finished(queue, "work", "good").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(TestQueue.finished(queue, "work", "bad").status()).isEqualTo(JobStatus.FAILED);
            TestQueue.until(
                    () -> worker.stats().retried() == 1 && worker.stats().released() == 1);
        }
        queue.types().clearTimeout("work");
    }

    private static io.couchjobs.type.TypeSettings allSettings(io.couchjobs.type.TypeSettings settings) {
        return settings.withTimeout(Duration.ofSeconds(30))
                .withRetryPolicy(new RetryPolicy(3, Duration.ofHours(1), Duration.ofHours(2), 0.5))
                .with(Limit.RUNNING, 2)
                .with(Limit.RUNNING_PER_GROUP, 2)
                .with(Limit.QUEUED, 100)
                .with(Limit.EXPIRATIONS, 3)
                .withRate(new Rate(100, Duration.ofMinutes(1)))
                .withPaused(false)
                .withClasses(List.of("", "bulk"))
                .withRetention(new Retention.Newest(1))
                .withFailureRetention(new Retention.For(Duration.ofDays(1)));
    }

    private void triggers(JobQueue queue) throws Exception {
        queue.triggers()
                .put(Trigger.named("audit")
                        .source(queue.database().name())
                        .prefixes(OURS)
                        .type("tick")
                        .data(Jobs.json("{'who':'{/who}'}"))
                        .writeBack("/status")
                        .build());
        try (Worker worker =
                queue.worker().handler("nothing", (data, context) -> null).start()) {
            queue.database().put(Jobs.json("{'_id':'audited-1','who':'me'}"));
            queue.database().put(Jobs.json("{'_id':'audited-2'}"));
            TestQueue.until(() -> queue.triggers().errors("audit").size() == 1);
            TestQueue.until(
                    () -> queue.all("tick").anyMatch(job -> job.document().has("trigger")));
            assertThat(worker.stats().claimed()).isZero();
        }
        queue.triggers().pause("audit");
    }

    private void schedules(JobQueue queue) {
        queue.schedules()
                .put(Schedule.named("report")
                        .cron("30 2 * * MON-FRI")
                        .zone("Europe/Berlin")
                        .job(JobRequest.builder("tick")
                                .data(Map.of("about", "sales"))
                                .group("shop")
                                .priority(10)
                                .maxRetries(1)
                                .jobClass("bulk")
                                .tag("nightly")
                                .build())
                        .build());
        queue.schedules()
                .put(Schedule.named("poll")
                        .every(Duration.ofSeconds(1))
                        .from(Instant.parse("2020-01-01T00:00:00Z"))
                        .missed(Schedule.MissedPolicy.ALL)
                        .overlap(Schedule.OverlapPolicy.ALLOW)
                        .job(JobRequest.of("tick", Map.of()))
                        .build());
        queue.schedules().runNow("report");
        queue.schedules().disable("report");
        queue.schedules().enable("report");
        queue.schedules().makeDue();
        queue.schedules().remove("report");
    }

    private void scopes(JobQueue queue) throws Exception {
        Scope scope = Scope.of("index", 3);
        try (Scopes.Host host = queue.scopes()
                .serve(ScopeService.of("index", ObjectNode.class, (data, context) -> Map.of("indexed", true)))) {
            queue.scopes()
                    .start(
                            scope,
                            ScopeConfig.DEFAULTS.concurrency(1).queueLimit(3).classes("book"));
            queue.scopes()
                    .submit(
                            scope,
                            JobRequest.builder("index")
                                    .id("a")
                                    .jobClass("book")
                                    .data(Map.of())
                                    .build());
            queue.scopes().submit(scope, JobRequest.of("index", Map.of()));
            queue.awaitFinished("index@3", "a", TestQueue.PATIENCE);
            TestQueue.until(() -> queue.scopes().stats(scope).rejected() == 1);
            queue.scopes().stop(scope, Duration.ofSeconds(5));
            TestQueue.until(() -> host.scopes().isEmpty());
        }
    }

    private void history(JobQueue queue) throws InterruptedException {
        queue.operations().history().mark("v1.4");
        queue.add(job("late", "1"));
        CountDownLatch raised = new CountDownLatch(1);
        Listening alarms = queue.operations()
                .alarms()
                .oldestDue(Duration.ofMillis(1))
                .looks(1)
                .command(List.of("true"))
                .tell(alarm -> raised.countDown())
                .start();
        raised.await();
        alarms.close();
        try (HistoryOfWorkers workers = new HistoryOfWorkers(queue, Instant.now())) {
            workers.run("a", "email", RunReport.Outcome.SUCCEEDED, Duration.ofSeconds(1));
            workers.run("a", "email", RunReport.Outcome.FAILED, Duration.ofSeconds(2));
            workers.pass(Duration.ofMinutes(1));
            workers.write("a");
            workers.collect("b");
            take(queue.database());
            workers.pass(Duration.ofHours(3));
            workers.tidy();
        }
        take(queue.database());
    }

    private void garbage(JobQueue queue) throws Exception {
        queue.types().change("own", settings -> settings.withRetention(new Retention.Delete()));
        Sweeps.turn(
                "mailer",
                queue.database(),
                TestQueue.clock(
                        InstantSource.offset(InstantSource.system(), Duration.ofMinutes(1)),
                        queue.database().server()));
        take(queue.database());
        TestQueue.gc(queue).keepTombstones(Duration.ofMinutes(10)).run();
    }

    /** The name comes last: what is created from then on carries it. */
    private static void sites(TestDatabase database, JobQueue unnamed) throws Exception {
        unnamed.operations().nameSite(new Site("oslo", true));
        try (JobQueue queue = TestQueue.open(database)) {
            queue.types().change("abroad", settings -> settings.with(Limit.RUNNING, 1)
                    .withRate(new Rate(5, Duration.ofMinutes(1))));
            queue.add(job("abroad", "1"));
            try (Worker worker = queue.worker()
                    .id("mailer")
                    .handler("abroad", (data, context) -> null)
                    .start()) {
                TestQueue.finished(queue, "abroad", "1");
                assertThat(worker.id()).isEqualTo("mailer@oslo");
            }
            Sweeps.turn(
                    "mailer@oslo",
                    queue.database(),
                    TestQueue.clock(InstantSource.system(), queue.database().server()));
        }
    }

    private static JobRequest job(String type, String id) {
        return JobRequest.builder(type).id(id).data(Map.of("of", id)).build();
    }

    private synchronized void take(CouchDatabase database) throws InterruptedException {
        stored.addAll(StoredDocuments.of(database, Set.of()));
        stored.removeIf(document -> document.path("_id").asText().startsWith(OURS));
    }

    private void assertThatAllFit() {
        assertThat(stored).hasSizeGreaterThan(20).allSatisfy(document -> assertThat(Schemas.problems(document))
                .isEmpty());
    }

    private Set<String> kinds() {
        Set<String> kinds = new TreeSet<>();
        stored.forEach(document -> kinds.add(Schemas.kindOf(document)));
        return kinds;
    }

    private static Set<String> without(Set<String> some, List<String> all) {
        Set<String> rest = new TreeSet<>(all);
        rest.removeAll(some);
        return rest;
    }
}

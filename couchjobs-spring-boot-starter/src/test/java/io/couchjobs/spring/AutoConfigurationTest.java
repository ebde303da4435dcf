package io.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.telemetry.QueueMetrics;
import io.couchjobs.worker.JobContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.mock.env.MockEnvironment;

/** What an application gets, and when. */
@Tag("server")
@ExtendWith(CouchExtension.class)
class AutoConfigurationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private ApplicationContextRunner bare;
    private ApplicationContextRunner application;

    @BeforeEach
    void prepare(TestDatabase database) {
        bare = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        CouchjobsAutoConfiguration.class,
                        CouchjobsTelemetryAutoConfiguration.class,
                        CouchjobsHealthAutoConfiguration.class,
                        CouchjobsDashboardAutoConfiguration.class));
        application = bare.withPropertyValues("couchjobs.url=" + database.url());
        if (database.user().isPresent()) {
            application = application.withPropertyValues(
                    "couchjobs.user=" + database.user().get(),
                    "couchjobs.password=" + database.password().orElse(""));
        }
    }

    @Test
    void without_a_url_there_is_nothing() {
        bare.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JobQueue.class));
    }

    @Test
    void an_application_with_a_queue_of_its_own_and_no_url_has_a_dashboard(TestDatabase database) {
        JobQueueBuilder own = JobQueue.builder(database.url());
        database.user()
                .ifPresent(user -> own.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        CouchjobsAutoConfiguration.class, CouchjobsDashboardAutoConfiguration.class))
                .withBean(JobQueue.class, own::open)
                .withPropertyValues("couchjobs.dashboard.guarded-by-application=true")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(DashboardRegistration.class));
    }

    @Test
    void without_a_handler_there_is_a_queue_and_no_worker() {
        application.run(context -> {
            assertThat(context).hasSingleBean(JobQueue.class).doesNotHaveBean(QueueMetrics.class);
            assertThat(context.getBean(WorkerLifecycle.class).worker()).isEmpty();
            assertThat(context.getBean("couchjobsHealthIndicator", HealthIndicator.class)
                            .health()
                            .getStatus())
                    .isEqualTo(Status.UP);
        });
    }

    @Test
    void a_customizer_alone_makes_no_worker_unless_it_adds_a_handler() {
        application
                .withBean(
                        WorkerCustomizer.class,
                        () -> builder -> builder.prefetch(2).interceptor((context, run) -> run.call()))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(WorkerLifecycle.class).worker()).isEmpty();
                });
        application
                .withBean(
                        WorkerCustomizer.class,
                        () -> builder -> builder.prefetch(2).handler("email", (data, context) -> null))
                .run(context -> assertThat(
                                context.getBean(WorkerLifecycle.class).worker())
                        .isPresent());
    }

    @Test
    void methods_take_what_they_ask_for_in_any_order() {
        application
                .withUserConfiguration(Handlers.class)
                .withPropertyValues("couchjobs.worker.id=w1", "couchjobs.worker.concurrency=cores*2")
                .run(context -> {
                    JobQueue queue = context.getBean(JobQueue.class);
                    assertThat(context.getBean(WorkerLifecycle.class)
                                    .worker()
                                    .orElseThrow()
                                    .concurrency())
                            .isEqualTo(2 * Runtime.getRuntime().availableProcessors());
                    assertThat(run(queue, "data").result().orElseThrow().asText())
                            .isEqualTo("Ada");
                    assertThat(run(queue, "context").result().orElseThrow().asText())
                            .isEqualTo("context:1 w1");
                    assertThat(run(queue, "both").result().orElseThrow().asText())
                            .isEqualTo("Ada both:1");
                    assertThat(run(queue, "none").status()).isEqualTo(JobStatus.SUCCESS);
                });
    }

    @Test
    void a_method_with_a_schedule_runs_at_its_ticks() {
        application
                .withUserConfiguration(Recurring.class)
                .withPropertyValues("report.pause=1s")
                .run(context -> {
                    JobQueue queue = context.getBean(JobQueue.class);
                    assertThat(queue.schedules().get("report").orElseThrow().timing())
                            .asString()
                            .startsWith("every PT1S");
                    assertThat(queue.schedules().get("nightly").orElseThrow().timing())
                            .asString()
                            .contains("0 3 * * *", "Europe/Berlin");
                    context.getBean(Recurring.class).ran.await();
                });
    }

    @Test
    void a_schedule_that_cannot_be_stops_the_start() {
        application
                .withUserConfiguration(Never.class)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("61"));
    }

    @Test
    void a_start_that_fails_at_the_database_says_what_to_do(TestDatabase database) {
        bare.withPropertyValues("couchjobs.url=http://ann:secret@127.0.0.1:1/shop")
                .run(context -> {
                    FailureAnalysis analysis =
                            analysis(context.getStartupFailure(), "http://ann:secret@127.0.0.1:1/shop");
                    assertThat(analysis.getDescription())
                            .startsWith(
                                    "Cannot reach the database of couchjobs (couchjobs.url=http://127.0.0.1:1/shop)");
                    assertThat(analysis.getAction()).contains("couchjobs serve");
                });
        String gone = database.url() + "-gone";
        application
                .withPropertyValues("couchjobs.url=" + gone, "couchjobs.create-if-missing=false")
                .run(context -> assertThat(
                                analysis(context.getStartupFailure(), gone).getAction())
                        .contains("couchjobs.create-if-missing=true"));
    }

    @Test
    void a_user_whom_the_server_refuses_hears_what_an_administrator_does() {
        FailureAnalysis refused =
                analysis(refused("GET", "/shop", "Name or password is incorrect."), "http://127.0.0.1:5984/shop");
        assertThat(refused.getDescription()).contains("does not let this application use", "couchjobs.url=http");
        assertThat(refused.getAction()).contains("couchjobs.user", "couchjobs init --create-user worker:NAME");
        FailureAnalysis withoutDesign = analysis(
                refused("PUT", "/shop/_design/jobs-1a2b3c4d", "You are not a db or server admin."),
                "http://127.0.0.1:5984/shop");
        assertThat(withoutDesign.getDescription())
                .startsWith(
                        "The database of couchjobs (couchjobs.url=http://127.0.0.1:5984/shop) lacks design documents");
        assertThat(withoutDesign.getAction()).contains("administrator", "\"couchjobs init\"");
    }

    @Test
    void a_missing_url_is_named_when_a_bean_wants_the_queue() {
        bare.withUserConfiguration(Wanting.class).run(context -> {
            FailureAnalysis analysis = firstAnalysis(context.getStartupFailure(), new MockEnvironment());
            assertThat(analysis.getDescription())
                    .isEqualTo(
                            "There is no JobQueue, which this application wants, because the property couchjobs.url is not set.");
            assertThat(analysis.getAction()).contains("couchjobs.url=http://HOST:PORT/DATABASE", "@CouchJobsTest");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "'', is empty",
        "http://127.0.0.1:5984, 'names a server, but no database'",
        "http://ada:secret@127.0.0.1:5984/, 'names a server, but no database'",
        "127.0.0.1:5984/shop, is not a URL",
        "localhost/shop, is not a URL that begins with http"
    })
    void a_url_that_names_no_database_is_told_with_the_form_it_should_have(String url, String problem) {
        bare.withPropertyValues("couchjobs.url=" + url).run(context -> {
            FailureAnalysis analysis = firstAnalysis(
                    context.getStartupFailure(), new MockEnvironment().withProperty("couchjobs.url", url));
            assertThat(analysis.getDescription())
                    .startsWith("The property couchjobs.url " + problem)
                    .doesNotContain("secret");
            assertThat(analysis.getAction()).contains("http://HOST:PORT/DATABASE");
        });
    }

    private static CouchException refused(String method, String path, String reason) {
        return CouchException.of(new CouchException.Failure(
                401, "unauthorized", reason, new CouchException.Failure.Request(method, path, null, null), false));
    }

    private static FailureAnalysis analysis(Throwable failure, String url) {
        return analyzers(new MockEnvironment().withProperty("couchjobs.url", url))
                .filter(CouchFailureAnalyzer.class::isInstance)
                .findFirst()
                .orElseThrow()
                .analyze(failure);
    }

    /** What Spring prints: the first analysis in the order of all analyzers, its own ones too. */
    private static FailureAnalysis firstAnalysis(Throwable failure, Environment environment) {
        return analyzers(environment)
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }

    private static Stream<FailureAnalyzer> analyzers(Environment environment) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        ArgumentResolver.of(Environment.class, environment)
                                .and(BeanFactory.class, new DefaultListableBeanFactory()),
                        (type, other, cannotBeMade) -> {})
                .stream();
    }

    @Test
    void a_method_that_no_job_fits_stops_the_start() {
        application.withUserConfiguration(Broken.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("@JobHandler")
                .hasMessageContaining("tooMuch"));
    }

    @Test
    void the_bean_of_a_type_gives_its_defaults_and_its_data_must_be_that_of_the_method() {
        JobType<Person> right = JobType.of("data", Person.class).withTimeout(Duration.ofMinutes(7));
        application
                .withUserConfiguration(Handlers.class)
                .withBean("right", JobType.class, () -> right)
                .run(context -> {
                    JobQueue queue = context.getBean(JobQueue.class);
                    assertThat(run(queue, "data").result().orElseThrow().asText())
                            .isEqualTo("Ada");
                    assertThat(queue.types().settings("data").timeout()).contains(Duration.ofMinutes(7));
                });
        application
                .withUserConfiguration(Handlers.class)
                .withBean("wrong", JobType.class, () -> JobType.of("data", String.class))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining(
                                "the bean JobType[data, java.lang.String] has other data than the method takes")
                        .hasMessageContaining("Person]: "));
    }

    @Test
    void metrics_are_there_where_the_application_has_a_registry() {
        application.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            context.getBean(JobQueue.class).add("email", Map.of());
            assertThat(context.getBean(MeterRegistry.class)
                            .get("couchjobs.jobs.added")
                            .counter()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void a_job_that_runs_may_finish_when_the_application_stops(TestDatabase database) {
        Slow slow = new Slow();
        application.withBean(Slow.class, () -> slow).run(context -> {
            JobQueue queue = context.getBean(JobQueue.class);
            queue.add(JobRequest.builder("slow").id("1").data(Map.of()).build());
            slow.begun.await();
            Thread closing = new Thread(context::close);
            closing.start();
            slow.mayEnd.countDown();
            closing.join();
        });
        application.run(context -> assertThat(context.getBean(JobQueue.class)
                        .get("slow", "1")
                        .orElseThrow()
                        .status())
                .isEqualTo(JobStatus.SUCCESS));
    }

    @Test
    void a_caller_that_asks_for_the_worker_while_its_last_job_finishes_is_answered_at_once() {
        Slow slow = new Slow();
        application
                .withBean(Slow.class, () -> slow)
                .withPropertyValues("couchjobs.worker.close-timeout=5s")
                .run(context -> {
                    WorkerLifecycle lifecycle = context.getBean(WorkerLifecycle.class);
                    context.getBean(JobQueue.class).add("slow", Map.of());
                    slow.begun.await();
                    Thread stopping = new Thread(lifecycle::stop);
                    stopping.start();
                    while (stopping.getState() != Thread.State.TIMED_WAITING) {
                        Thread.onSpinWait();
                    }
                    assertThat(lifecycle.worker()).isPresent();
                    assertThat(lifecycle.isRunning()).isTrue();
                    slow.mayEnd.countDown();
                    stopping.join();
                    assertThat(lifecycle.isRunning()).isFalse();
                });
    }

    @Test
    void an_application_may_leave_running_jobs_to_others() {
        application
                .withUserConfiguration(Handlers.class)
                .withPropertyValues("couchjobs.worker.enabled=false")
                .run(context ->
                        assertThat(context).hasSingleBean(JobQueue.class).doesNotHaveBean(WorkerLifecycle.class));
    }

    @Test
    void editors_know_the_properties_and_no_password_is_shown() throws Exception {
        try (var in = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .contains(
                            "\"couchjobs.url\"",
                            "\"couchjobs.password\"",
                            "\"couchjobs.worker.concurrency\"",
                            "\"couchjobs.dashboard.guarded-by-application\"");
        }
        bare.withPropertyValues(
                        "couchjobs.url=http://127.0.0.1:1/jobs", "couchjobs.user=ada", "couchjobs.password=s3cr3t")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("127.0.0.1")
                        .satisfies(
                                failure -> assertThat(String.valueOf(failure)).doesNotContain("s3cr3t")));
    }

    private static Job run(JobQueue queue, String type) throws InterruptedException {
        queue.add(JobRequest.builder(type)
                .id("1")
                .data(Map.of("name", "Ada", "more", 1))
                .build());
        return queue.awaitFinished(type, "1", PATIENCE).orElseThrow();
    }

    @Configuration(proxyBeanMethods = false)
    static class Wanting {
        @Bean
        Object wants(JobQueue queue) {
            return queue;
        }
    }

    record Person(String name) {}

    @Configuration(proxyBeanMethods = false)
    static class Handlers {
        @Bean
        Handling handling() {
            return new Handling();
        }
    }

    static class Handling {
        @JobHandler("data")
        String data(Person person) {
            return person.name();
        }

        @JobHandler("context")
        protected String context(JobContext context) {
            return context.id() + " " + context.job().lock().orElseThrow().worker();
        }

        @JobHandler("both")
        public String both(JobContext context, Person person) {
            return person.name() + " " + context.id();
        }

        @JobHandler("none")
        void none() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Broken {
        @Bean
        TooMuch tooMuch() {
            return new TooMuch();
        }
    }

    static class TooMuch {
        @JobHandler("broken")
        void tooMuch(Person one, Person other) {}
    }

    static class Recurring {
        final CountDownLatch ran = new CountDownLatch(1);

        @JobHandler("report")
        @JobSchedule(every = "${report.pause}")
        void report() {
            ran.countDown();
        }

        @JobHandler("night")
        @JobSchedule(cron = "0 3 * * *", zone = "${reports.zone:Europe/Berlin}", name = "nightly")
        void night() {}
    }

    static class Never {
        @JobHandler("never")
        @JobSchedule(cron = "61 * * * *")
        void never() {}
    }

    static class Slow {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobHandler("slow")
        void run() throws InterruptedException {
            begun.countDown();
            mayEnd.await();
        }
    }
}

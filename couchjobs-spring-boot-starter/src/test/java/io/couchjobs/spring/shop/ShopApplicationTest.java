package io.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.ConfigurableServletWebServerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The example of the guide as a whole: it is started, serves, and is stopped. */
class ShopApplicationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static EmbeddedCouch couch;
    private static ConfigurableApplicationContext shop;

    @BeforeAll
    static void start() {
        couch = EmbeddedCouch.inMemory().start();
        shop = started(ShopApplication.class);
    }

    private static ConfigurableApplicationContext started(Class<?>... sources) {
        return new SpringApplication(sources)
                .run(
                        "--server.port=0",
                        "--couchjobs.url=" + couch.url() + "shop",
                        "--couchjobs.worker.concurrency=2",
                        "--couchjobs.dashboard.user=ada",
                        "--couchjobs.dashboard.password=secret",
                        "--spring.main.banner-mode=off",
                        "--spring.jmx.enabled=false");
    }

    @AfterAll
    static void stop() {
        shop.close();
        couch.close();
    }

    @Test
    void a_mail_is_sent_by_the_method_of_a_bean() throws Exception {
        Job job = finished(shop.getBean(ShopApplication.SignUp.class).register("ada@example.org"));
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job.result().orElseThrow().path("sentTo").asText()).isEqualTo("ada@example.org");
        assertThat(shop.getBean(MeterRegistry.class)
                        .get("couchjobs.jobs.added")
                        .tag("type", "email")
                        .counter()
                        .count())
                .isPositive();
    }

    @Test
    void an_exception_of_the_method_counts_as_an_exception_of_the_handler() throws Exception {
        Job job = finished(shop.getBean(ShopApplication.SignUp.class).register("nobody"));
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.errors().get(0).message()).isEqualTo("not an address: nobody");
    }

    @Test
    void the_actuator_says_whether_jobs_can_be_claimed() {
        HealthIndicator health = shop.getBean("couchjobsHealthIndicator", HealthIndicator.class);
        assertThat(health.health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void the_dashboard_is_below_the_management_path_for_who_has_the_password() throws Exception {
        assertThat(get("/actuator/couchjobs/", null).statusCode()).isEqualTo(401);
        HttpResponse<String> page = get("/actuator/couchjobs/", "ada:secret");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
        assertThat(page.body()).contains("couchjobs");
        assertThat(get("/actuator/couchjobs", "ada:secret").statusCode()).isEqualTo(308);
        assertThat(get("/actuator/couchjobs/api/types", "ada:secret").statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_wrong_escape_in_a_query_is_refused_and_fails_nothing() throws Exception {
        URL wrong = new URL("http://127.0.0.1:" + port(shop) + "/actuator/couchjobs/jobs?tag=100%");
        assertThat(((HttpURLConnection) wrong.openConnection()).getResponseCode())
                .isEqualTo(400);
    }

    @Test
    void the_dashboard_is_below_the_path_that_the_container_gives_the_application() throws Exception {
        try (ConfigurableApplicationContext below = started(ShopApplication.class, BelowShop.class)) {
            assertThat(get(below, "/shop/actuator/couchjobs/api/types", "ada:secret")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    /** As a container has it in which the application is one of several. */
    static class BelowShop {
        @Bean
        WebServerFactoryCustomizer<ConfigurableServletWebServerFactory> path() {
            return factory -> factory.setContextPath("/shop");
        }
    }

    @Test
    void the_guide_quotes_it_with_its_imports() throws Exception {
        String guide = Files.readString(Path.of("../docs/spring-boot.md")).replaceAll("\\s", "");
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/spring/shop/ShopApplication.java"));
        String example = source.substring(source.indexOf("import "));
        assertThat(guide).contains(example.replaceAll("\\s", ""));
    }

    private static Job finished(JobId id) throws InterruptedException {
        return shop.getBean(JobQueue.class).awaitFinished(id, PATIENCE).orElseThrow();
    }

    private static String port(ConfigurableApplicationContext application) {
        return application.getEnvironment().getRequiredProperty("local.server.port");
    }

    private static HttpResponse<String> get(String path, String login) throws Exception {
        return get(shop, path, login);
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext application, String path, String login)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(application) + path));
        if (login != null) {
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}

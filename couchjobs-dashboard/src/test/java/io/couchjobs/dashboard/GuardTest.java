package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.net.httpserver.HttpServer;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is let in, and what is refused to whom. */
class GuardTest {
    private static final Map<String, String> RETRY = Map.of("action", "retry", "type", "email", "id", "1");

    private static EmbeddedCouch server;
    private static JobQueue queue;

    private @Nullable Dashboard dashboard;

    @BeforeAll
    static void open() {
        server = EmbeddedCouch.inMemory().start();
        queue = JobQueue.builder(server.url().resolve("/guarded").toString())
                .renewLeases(false)
                .open();
        queue.add(JobRequest.builder("email").data(Map.of()).id("1").build());
    }

    @AfterAll
    static void close() {
        queue.close();
        server.close();
    }

    @AfterEach
    void closeDashboard() {
        if (dashboard != null) {
            dashboard.close();
        }
    }

    private Browser open(DashboardBuilder options) {
        dashboard = options.listen("127.0.0.1", 0);
        return new Browser(dashboard.url());
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:8080, 200",
        "localhost:8080, 200",
        "LOCALHOST, 200",
        "[::1]:8080, 200",
        "jobs.example.org, 200",
        "Jobs.Example.org:443, 200",
        "evil.example.org, 421",
        "127.0.0.1.evil.example.org, 421",
        "localhost.evil.example.org:8080, 421",
        "'', 421"
    })
    void only_hosts_that_a_foreign_page_cannot_take_are_served(String host, int status) throws Exception {
        Browser browser = open(Dashboard.of(queue).host("jobs.example.org"));
        assertThat(browser.raw("GET", Map.of("Host", host))).startsWith("HTTP/1.1 " + status);
    }

    @Test
    void every_answer_forbids_inline_scripts_frames_and_guessing_of_types() throws Exception {
        Browser browser = open(Dashboard.of(queue));
        for (String path : new String[] {"", "jobs", "assets/app.js", "assets/none.js", "api/overview", "api/none"}) {
            var headers = browser.get(path).headers();
            assertThat(headers.firstValue("Content-Security-Policy").orElse(""))
                    .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(headers.firstValue("Referrer-Policy")).contains("no-referrer");
        }
    }

    @Test
    void the_page_itself_has_nothing_inline_and_asks_no_other_host() throws Exception {
        String html = open(Dashboard.of(queue)).get("").body();
        assertThat(html).doesNotContain("<script>", "<style", " style=", "onclick", "http://", "https://", "{{");
    }

    @Test
    void a_change_needs_the_header_that_foreign_pages_cannot_send() throws Exception {
        Browser browser = open(Dashboard.of(queue));
        assertThat(browser.post("action", RETRY, "Content-Type", "application/json")
                        .statusCode())
                .isEqualTo(403);
        assertThat(browser.post("action", RETRY, Guard.HEADER, "1", "Content-Type", "text/plain")
                        .statusCode())
                .isEqualTo(403);
        assertThat(browser.post("action", RETRY).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://evil.example.org", "null", "http://127.0.0.1:1", "http://localhost"})
    void a_change_from_another_origin_is_refused(String origin) throws Exception {
        Browser browser = open(Dashboard.of(queue));
        assertThat(retry(browser, "application/json", "Origin", origin)).isEqualTo(403);
    }

    @Test
    void a_change_from_the_own_origin_is_made_also_behind_a_proxy_that_speaks_tls() throws Exception {
        Browser browser = open(Dashboard.of(queue));
        String host = dashboard.url().getAuthority();
        for (String scheme : new String[] {"http://", "https://"}) {
            assertThat(retry(browser, "application/json", "Origin", scheme + host, "Sec-Fetch-Site", "same-origin"))
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site"})
    void a_request_that_browsers_call_foreign_is_refused(String site) throws Exception {
        Browser browser = open(Dashboard.of(queue));
        assertThat(browser.get("api/overview", "Sec-Fetch-Site", site).statusCode())
                .isEqualTo(403);
        assertThat(retry(browser, "application/json", "Sec-Fetch-Site", site)).isEqualTo(403);
        assertThat(browser.get("jobs", "Sec-Fetch-Site", site).statusCode())
                .as("a link to a page may be anywhere")
                .isEqualTo(200);
    }

    @Test
    void a_read_only_dashboard_changes_nothing() throws Exception {
        Browser browser = open(Dashboard.of(queue).actions(false));
        for (String path : new String[] {"action", "bulk", "bulk/stop", "types", "recurring", "triggers"}) {
            assertThat(browser.post(path, RETRY).statusCode()).as(path).isEqualTo(403);
        }
        assertThat(browser.json("overview").path("actions").asBoolean()).isFalse();
    }

    @Test
    void nothing_but_get_and_post_is_known() throws Exception {
        Browser browser = open(Dashboard.of(queue));
        assertThat(browser.raw("DELETE", Map.of("Host", "localhost"))).contains("405");
        assertThat(browser.raw("OPTIONS", Map.of("Host", "localhost", "Origin", "https://evil.example.org")))
                .contains("405");
    }

    @Test
    void a_visitor_without_a_password_sees_nothing_not_even_the_page() throws Exception {
        Browser browser =
                open(Dashboard.of(queue).user("ops", Secret.of("sesame")).token(Secret.of("a-token")));
        for (String path : new String[] {"", "assets/app.js", "api/overview"}) {
            var refused = browser.get(path);
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.headers().firstValue("WWW-Authenticate").orElse(""))
                    .startsWith("Basic");
            assertThat(browser.get(path, "Authorization", basic("ops", "wrong")).statusCode())
                    .isEqualTo(401);
            assertThat(browser.get(path, "Authorization", basic("ops", "sesame"))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(browser.get(path, "Authorization", "Bearer a-token").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void a_client_that_guesses_passwords_has_to_wait_and_one_that_only_asks_has_not() throws Exception {
        AtomicLong clock = new AtomicLong();
        Browser browser =
                open(Dashboard.of(queue).user("ops", Secret.of("sesame")).nanoTime(clock::get));
        String[] right = {"Authorization", basic("ops", "sesame")};
        for (int i = 0; i < 2 * FailedLogins.FREE; i++) {
            assertThat(browser.get("").statusCode()).isEqualTo(401);
        }
        for (int i = 0; i < FailedLogins.FREE; i++) {
            assertThat(browser.get("", "Authorization", basic("ops", "guess " + i))
                            .statusCode())
                    .isEqualTo(401);
        }
        var refused = browser.get("api/overview", right);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).contains("1");
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(browser.get("api/overview", right).statusCode()).isEqualTo(200);
    }

    @Test
    void the_scheme_of_a_login_and_a_media_type_may_be_written_in_any_case() throws Exception {
        Browser browser =
                open(Dashboard.of(queue).user("ops", Secret.of("sesame")).token(Secret.of("a-token")));
        for (String login : List.of(
                "bearer a-token", "BEARER a-token", basic("ops", "sesame").replace("Basic", "basic"))) {
            assertThat(browser.get("api/overview", "Authorization", login).statusCode())
                    .as(login)
                    .isEqualTo(200);
        }
        assertThat(browser.get("api/overview", "Authorization", "bearer A-TOKEN")
                        .statusCode())
                .isEqualTo(401);
        assertThat(retry(browser, "Application/JSON", "Authorization", "bearer a-token"))
                .isEqualTo(200);
    }

    @Test
    void it_does_not_listen_beyond_this_machine_without_a_password() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Dashboard.of(queue).listen("0.0.0.0", 0))
                .withMessageContaining("without a password");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Dashboard.of(queue).user("ops", Secret.of("")));
    }

    @Test
    void beyond_this_machine_it_is_read_only_unless_told_otherwise() throws Exception {
        String[] token = {"Authorization", "Bearer a-token"};
        DashboardBuilder options = Dashboard.of(queue).token(Secret.of("a-token"));
        try (Dashboard open = options.listen("0.0.0.0", 0)) {
            assertThat(new Browser(open.url()).get("api/overview", token).body())
                    .contains("\"actions\":false");
        }
        try (Dashboard open = options.actions(true).listen("0.0.0.0", 0)) {
            assertThat(new Browser(open.url()).get("api/overview", token).body())
                    .contains("\"actions\":true");
        }
    }

    @Test
    void below_a_base_path_all_is_found_there_and_nothing_elsewhere() throws Exception {
        Browser browser = open(Dashboard.of(queue).basePath("/admin/jobs/"));
        assertThat(dashboard.url().getPath()).isEqualTo("/admin/jobs/");
        assertThat(browser.get("").body()).contains("<base href=\"/admin/jobs/\">");
        assertThat(browser.get("job?type=email&id=1").statusCode()).isEqualTo(200);
        assertThat(browser.get("assets/app.js").statusCode()).isEqualTo(200);
        assertThat(browser.json("overview").path("name").asText()).isEqualTo("guarded");
        assertThat(browser.get("/admin/jobs").statusCode()).isEqualTo(308);
        assertThat(browser.get("/admin/jobsx/api/overview").statusCode()).isEqualTo(404);
        assertThat(browser.get("/api/overview").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jobs", "/a b", "/\"><script>", "//x", "/a/../b?"})
    void a_base_path_cannot_break_out_of_the_page(String path) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Dashboard.of(queue).basePath(path));
    }

    @Test
    void in_a_server_of_ones_own_it_is_read_only_unless_told_otherwise() throws Exception {
        HttpServer own = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (DashboardHandler handler = Dashboard.of(queue).basePath("/jobs").handler()) {
            own.createContext("/jobs", handler);
            own.setExecutor(threads);
            own.start();
            Browser browser = new Browser(
                    URI.create("http://127.0.0.1:" + own.getAddress().getPort() + "/jobs/"));
            assertThat(browser.json("overview").path("actions").asBoolean()).isFalse();
            assertThat(browser.post("action", RETRY).statusCode()).isEqualTo(403);
        } finally {
            own.stop(0);
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "assets/../index.html",
                "assets/%2e%2e/index.html",
                "assets/..%2f..%2fGuard.class",
                "assets/index.html",
                "assets/preact/LICENSE",
                "assets/"
            })
    void no_other_file_of_the_jar_is_served(String path) throws Exception {
        assertThat(open(Dashboard.of(queue)).get(path).statusCode()).isEqualTo(404);
    }

    private static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void each_program_has_a_token_of_its_own_and_some_may_only_read() throws Exception {
        open(Dashboard.of(queue)
                .api()
                .token(Secret.of("shop"))
                .token(Secret.of("crawler"))
                .readOnlyToken(Secret.of("monitor")));
        for (String token : List.of("shop", "crawler", "monitor")) {
            assertThat(program("Authorization", "Bearer " + token).get("/jobs").status())
                    .as(token)
                    .isEqualTo(200);
        }
        assertThat(program().get("/jobs").status()).isEqualTo(401);
        assertThat(program("Authorization", "Bearer guess").get("/jobs").status())
                .isEqualTo(401);
        assertThat(program("Authorization", "Bearer crawler")
                        .postRaw("/types/email/resume", new byte[0])
                        .status())
                .as("a token cannot be sent by a foreign page")
                .isEqualTo(200);
        Program.Answer refused = program("Authorization", "Bearer monitor").post("/types/email/pause", null);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.detail()).isEqualTo("this token may only read");
        assertThat(queue.types().settings("email").isPaused()).isFalse();
    }

    @Test
    void a_program_that_guesses_tokens_has_to_wait() throws Exception {
        AtomicLong clock = new AtomicLong();
        open(Dashboard.of(queue).api().token(Secret.of("shop")).nanoTime(clock::get));
        for (int i = 0; i < FailedLogins.FREE; i++) {
            assertThat(program("Authorization", "Bearer " + i).get("/jobs").status())
                    .isEqualTo(401);
        }
        assertThat(program("Authorization", "Bearer shop").get("/jobs").status())
                .isEqualTo(429);
    }

    @Test
    void without_a_token_a_change_by_a_program_is_json_and_from_no_foreign_page() throws Exception {
        open(Dashboard.of(queue).api());
        assertThat(program().post("/types/email/resume", null).status()).isEqualTo(200);
        assertThat(program().postRaw("/types/email/pause", new byte[0]).status())
                .isEqualTo(415);
        assertThat(program()
                        .postRaw("/types/email/pause", new byte[0], "Content-Type", "text/plain")
                        .status())
                .isEqualTo(415);
        assertThat(program("Origin", "https://evil.example.org")
                        .post("/types/email/pause", null)
                        .status())
                .isEqualTo(403);
        assertThat(program("Sec-Fetch-Site", "cross-site")
                        .post("/types/email/pause", null)
                        .status())
                .isEqualTo(403);
        assertThat(program("Sec-Fetch-Site", "cross-site").get("/jobs").status())
                .isEqualTo(403);
        assertThat(queue.types().settings("email").isPaused()).isFalse();
    }

    @Test
    void a_read_only_dashboard_has_a_read_only_api() throws Exception {
        open(Dashboard.of(queue).api().token(Secret.of("shop")).actions(false));
        Program program = program("Authorization", "Bearer shop");
        assertThat(program.get("/jobs").status()).isEqualTo(200);
        assertThat(program.post("/types/email/pause", null).status()).isEqualTo(403);
        assertThat(program.post("/jobs", Map.of("type", "email")).status()).isEqualTo(403);
    }

    private Program program(String... headers) {
        return new Program(dashboard.url(), headers);
    }

    /** Retries a job by a request with a media type and further headers. */
    private static int retry(Browser browser, String mediaType, String... headers) throws Exception {
        List<String> all = new ArrayList<>(List.of(Guard.HEADER, "1", "Content-Type", mediaType));
        all.addAll(List.of(headers));
        return browser.post("action", RETRY, all.toArray(String[]::new)).statusCode();
    }
}

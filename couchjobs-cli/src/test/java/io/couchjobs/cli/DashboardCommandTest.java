package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@ExtendWith(CouchExtension.class)
class DashboardCommandTest {
    private TestShell shell;

    @BeforeEach
    void init(TestDatabase database) {
        shell = TestShell.at(database);
        shell.run("init");
    }

    @Test
    void a_page_with_the_checks_of_doctor_is_there_until_ctrl_c() throws Exception {
        shell.run("enqueue", "email", "1");
        try (RunningCommand dashboard = shell.start("dashboard", "--listen", "127.0.0.1:0", "--base-path", "/jobs")) {
            String url = dashboard.awaitOut(text -> text.endsWith("\n")).strip();
            assertThat(url).endsWith("/jobs/");
            assertThat(get(url + "api/overview")).contains("\"email\"", "\"actions\":true");
            assertThat(get(url + "api/problems")).contains("\"tombstones\"", "no living worker");
            assertThat(dashboard.interrupt().exitCode()).isEqualTo(130);
        }
    }

    @Test
    void beyond_this_machine_it_wants_a_password_which_is_no_argument(@TempDir Path folder) throws Exception {
        TestShell.Said refused = shell.run("dashboard", "--listen", "0.0.0.0:0");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("without a password", "COUCHJOBS_DASHBOARD_PASSWORD");
        assertThat(shell.run("dashboard", "--auth-user", "ops").err()).contains("no password for --auth-user ops");
        Path token = Files.writeString(folder.resolve("token"), "sesame\n");
        try (RunningCommand dashboard =
                shell.start("dashboard", "--listen", "0.0.0.0:0", "--auth-token-file", token.toString())) {
            String url = dashboard.awaitOut(text -> text.endsWith("\n")).strip();
            assertThat(get(url + "api/overview")).contains("who are you?");
            assertThat(get(url + "api/overview", "Authorization", "Bearer sesame"))
                    .contains("\"actions\":false");
        }
    }

    @Test
    void programs_are_served_when_asked_for_and_each_line_of_a_file_is_a_token(@TempDir Path folder) throws Exception {
        Path tokens = Files.writeString(folder.resolve("tokens"), "shop\n\n crawler \n");
        Path monitors = Files.writeString(folder.resolve("monitors"), "monitor\n");
        try (RunningCommand dashboard = shell.start(
                "dashboard",
                "--listen",
                "127.0.0.1:0",
                "--api",
                "--auth-token-file",
                tokens.toString(),
                "--read-token-file",
                monitors.toString())) {
            String url = dashboard.awaitOut(text -> text.endsWith("\n")).strip();
            dashboard.awaitErr("api/v1/openapi.yaml");
            for (String token : List.of("shop", "crawler", "monitor")) {
                assertThat(get(url + "api/v1/counts", "Authorization", "Bearer " + token))
                        .contains("\"by\":\"type\"");
            }
            assertThat(get(url + "api/v1/counts")).contains("\"status\":401");
        }
    }

    @Test
    void a_file_without_a_token_is_named(@TempDir Path folder) throws Exception {
        Path empty = Files.writeString(folder.resolve("tokens"), "\n");
        TestShell.Said said = shell.run("dashboard", "--read-token-file", empty.toString());
        assertThat(said.exitCode()).isEqualTo(2);
        assertThat(said.err()).contains("there is no token in " + empty);
    }

    @Test
    void an_impossible_option_is_reported() {
        assertThat(shell.run("dashboard", "--listen", "nonsense").err()).contains("HOST:PORT");
        assertThat(shell.run("dashboard", "--listen", "1:99999").exitCode()).isEqualTo(2);
        assertThat(shell.run("dashboard", "--read-only", "--allow-actions").exitCode())
                .isEqualTo(2);
        assertThat(shell.run("dashboard", "--base-path", "jobs").exitCode()).isNotZero();
        assertThat(shell.run("demo", "--listen", "127.0.0.1:0").exitCode()).isEqualTo(2);
    }

    @Test
    void a_demo_shows_itself_and_stays(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("file"), "content");
        try (RunningCommand demo = shell.start(
                "demo", folder.toString(), "--workers", "1", "--dashboard", "--listen", "127.0.0.1:0", "-o", "json")) {
            demo.awaitErr("the dashboard stays at ");
            String url = demo.err().replaceFirst("(?s).*stays at (\\S+);.*", "$1");
            assertThat(get(url + "api/overview")).contains("\"sha256\"", "\"thumbnail\"", "\"shop\"");
            assertThat(demo.interrupt().exitCode()).isEqualTo(130);
        }
    }

    private static String get(String url, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}

package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.couchjobs.embedded.EmbeddedCouch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Whatever happens, no secret is in what a command says, with -v too, or in the arguments of processes that it starts. */
@Isolated("-v sets the levels of loggers")
class CanaryTest {
    private static final String CANARY = "canary-7d1f";

    @TempDir
    private Path folder;

    private final List<String> said = new ArrayList<>();
    private final ByteArrayOutputStream logged = new ByteArrayOutputStream();
    private final PrintStream realErr = System.err;
    private HttpServer broken;

    @BeforeEach
    void listen() throws IOException {
        System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8)); // where -v logs to
        broken = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @AfterEach
    void stop() {
        System.setErr(realErr);
        broken.stop(0);
    }

    @Test
    void when_all_goes_well() {
        try (EmbeddedCouch couch =
                EmbeddedCouch.builder().inMemory().admin("me", CANARY).start()) {
            TestShell shell = shell(couch.url().resolve("jobs").toString());
            assertThat(run(shell, "init", "-v")).isZero();
            assertThat(run(shell, "enqueue", "email", "1", "-v")).isZero();
            assertThat(run(shell, "work", "email", "--until-empty", "-v", "--", "cat"))
                    .isZero();
            for (String command : List.of("counts", "export", "workers", "doctor", "types", "list")) {
                run(shell, command, "-v", "-o", "json");
            }
            run(shell, "inspect", "email", "1", "-o", "json");
        }
        assertNothingIsShown();
        assertThat(said).anyMatch(text -> text.contains("DEBUG")).anyMatch(text -> text.contains("\"success\""));
    }

    @Test
    void when_the_server_answers_what_nobody_wants() {
        for (int status : List.of(401, 403, 407, 500, 503)) {
            answer(status);
            assertThat(run(shell(brokenUrl()), "counts", "-v")).isNotZero();
            assertThat(run(shell("http://me:" + CANARY + "@" + brokenUrl().substring(7)), "counts", "-v"))
                    .isNotZero();
            assertThat(run(bearer(CANARY), "counts", "-v")).isNotZero();
            assertThat(run(shell(brokenUrl()).with("COUCHJOBS_PROXY", proxyUrl()), "counts", "-v"))
                    .isNotZero();
            broken.removeContext("/");
        }
        assertNothingIsShown();
    }

    @Test
    void when_there_is_no_server() {
        String refusing = brokenUrl();
        broken.start(); // one that was never started goes on listening
        broken.stop(0);
        List<String> urls = List.of(
                refusing,
                refusing.replace("http:", "https:"),
                "http://couch.invalid/jobs",
                "https://couch.invalid/jobs");
        for (String url : urls) {
            assertThat(run(shell(url), "counts", "-v")).isEqualTo(ExitCode.UNREACHABLE.number());
            assertThat(run(shell(url).with("COUCHJOBS_PROXY", proxyUrl()), "counts", "-v"))
                    .isEqualTo(ExitCode.UNREACHABLE.number());
        }
        assertNothingIsShown();
    }

    @Test
    void when_what_is_given_cannot_be_used() throws IOException {
        answer(200);
        assertThat(run(shell("http://me:" + CANARY + "/x@host/jobs"), "counts", "-v"))
                .isEqualTo(ExitCode.USAGE.number());
        assertThat(run(shell("http://me:" + CANARY + "@ho st/jobs"), "counts", "-v"))
                .isEqualTo(ExitCode.USAGE.number());
        assertThat(run(shell("http:me:" + CANARY + "@host/jobs"), "counts", "-v"))
                .isEqualTo(ExitCode.USAGE.number());
        assertThat(run(shell("http://me:" + CANARY + "%zz@host/jobs"), "counts", "-v"))
                .isEqualTo(ExitCode.USAGE.number());
        for (String proxy : List.of("socks5://me:%s@host", "http://me:%s/x@host", "http://me:%s@ho st", "me:%s:x")) {
            assertThat(run(shell(brokenUrl()).with("COUCHJOBS_PROXY", proxy.formatted(CANARY)), "counts", "-v"))
                    .as(proxy)
                    .isEqualTo(ExitCode.USAGE.number());
        }
        assertThat(run(bearer(CANARY + " is no token"), "counts", "-v")).isNotZero();
        assertThat(run(shell(brokenUrl()).with(ConnectionOptions.KEY_PASSWORD, CANARY), withBadKey("counts", "-v")))
                .isNotZero();
        assertThat(run(configured("password = \"" + CANARY + "\""), "counts", "-v"))
                .isEqualTo(ExitCode.USAGE.number());
        assertThat(run(configured("proxy = http://me:" + CANARY + "@host"), "counts", "-v"))
                .isEqualTo(ExitCode.USAGE.number());
        assertNothingIsShown();
    }

    @Test
    void in_the_arguments_of_another_process_of_this_program() throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END");
        TestShell shell = shell("https://couch.example.org/jobs")
                .with(ConnectionOptions.KEY_PASSWORD, CANARY + "-key")
                .with("COUCHJOBS_PROXY", proxyUrl());
        Couchjobs root = new Couchjobs(shell.shell(new StringWriter(), new StringWriter()));
        root.options().clientCert = folder.resolve("cert");
        root.options().clientKey = key;
        Map<String, String> expected = new HashMap<>();
        try (Session session = Session.open(root)) {
            ChildArguments child = ChildArguments.of("demo-worker", root, session, session.url());
            said.addAll(child.arguments());
            said.add(session.toString());
            expected.putAll(child.environment());
            assertThat(child.arguments())
                    .containsSequence("--client-cert", folder.resolve("cert").toString())
                    .containsSequence("--client-key", key.toString());
        }
        assertThat(expected)
                .containsEntry("COUCHJOBS_PASSWORD", CANARY)
                .containsEntry(ConnectionOptions.KEY_PASSWORD, CANARY + "-key")
                .containsEntry("COUCHJOBS_PROXY", proxyUrl());
        assertNothingIsShown();
    }

    @Test
    void in_the_arguments_of_the_programs_of_jobs_which_have_it_in_their_environment() throws Exception {
        String arguments = "cat /proc/$$/cmdline /proc/$PPID/cmdline | tr '\\0' ' '";
        String environment = "echo ${COUCHJOBS_PASSWORD:+knows the password}";
        try (EmbeddedCouch couch =
                EmbeddedCouch.builder().inMemory().admin("me", CANARY).start()) {
            TestShell shell = shell(couch.url().resolve("jobs").toString());
            assertThat(run(shell, "init")).isZero();
            assertThat(run(shell, "enqueue", "email", "1")).isZero();
            ProcessBuilder command = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Main.class.getName());
            command.command().addAll(List.of("work", "email", "--until-empty", "--", "sh", "-c"));
            command.command().add(arguments + "; " + environment);
            command.environment()
                    .putAll(Map.of(
                            "COUCHJOBS_URL",
                            couch.url().resolve("jobs").toString(),
                            "COUCHJOBS_USER",
                            "me",
                            "COUCHJOBS_PASSWORD",
                            CANARY));
            Process work = command.redirectErrorStream(true).start();
            said.add(new String(work.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            assertThat(work.waitFor()).as(said.toString()).isZero();
            run(shell, "inspect", "email", "1", "-o", "json");
        }
        assertNothingIsShown();
        assertThat(said)
                .anyMatch(text -> text.contains("Main work email --until-empty"))
                .anyMatch(text -> text.contains("knows the password\""));
    }

    private void assertNothingIsShown() {
        said.add(logged.toString(StandardCharsets.UTF_8));
        for (String secret : List.of(CANARY, base64("me:" + CANARY), base64("proxy:" + CANARY))) {
            assertThat(said).noneMatch(text -> text.contains(secret));
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private int run(TestShell shell, String... args) {
        TestShell.Said result = shell.run(args);
        said.add(result.out());
        said.add(result.err());
        return result.exitCode();
    }

    private void answer(int status) {
        broken.createContext("/", exchange -> {
            byte[] body = "{\"error\":\"broken\",\"reason\":\"on purpose\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        if (broken.getExecutor() == null) {
            broken.setExecutor(task -> new Thread(task).start());
            broken.start();
        }
    }

    private String brokenUrl() {
        return "http://127.0.0.1:" + broken.getAddress().getPort() + "/jobs";
    }

    private String proxyUrl() {
        return "http://proxy:" + CANARY + "@127.0.0.1:" + broken.getAddress().getPort();
    }

    private static TestShell shell(String url) {
        return new TestShell()
                .with("COUCHJOBS_URL", url)
                .with("COUCHJOBS_USER", "me")
                .with("COUCHJOBS_PASSWORD", CANARY);
    }

    private TestShell bearer(String token) {
        try {
            Files.writeString(folder.resolve("token"), token);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return configured("url = \"" + brokenUrl() + "\"\ntoken-file = \"token\"");
    }

    private TestShell configured(String config) {
        try {
            Path file = Files.writeString(folder.resolve("config.toml"), config + "\n");
            return new TestShell().with("COUCHJOBS_CONFIG", file.toString());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String[] withBadKey(String... command) throws IOException {
        Path file = Files.writeString(
                folder.resolve("both.pem"),
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
        List<String> args = new ArrayList<>(List.of(command));
        args.addAll(List.of("--client-cert", file.toString()));
        return args.toArray(String[]::new);
    }
}

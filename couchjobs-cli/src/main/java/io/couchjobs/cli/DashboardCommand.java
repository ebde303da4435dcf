package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.JobQueue;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code dashboard}: serves the web page until Ctrl-C. */
@Command(
        name = "dashboard",
        description = {
            "Show what the queue does on a web page, until Ctrl-C: numbers, jobs, types, recurring jobs, triggers, workers,",
            "problems. On this machine, people may also act on jobs: retry, cancel, remove, pause, ... Beyond it,",
            "the page asks for a password, speaks no TLS (put a proxy in front), and changes nothing unless",
            "--allow-actions. With --api programs are served, too, below /api/v1/ (docs/http-api.md)."
        },
        footer = {
            "  couchjobs dashboard",
            "  couchjobs dashboard --listen 127.0.0.1:9000 --read-only",
            "  couchjobs dashboard --listen 0.0.0.0:8080 --auth-user ops --auth-password-file ops.password",
            "  couchjobs dashboard --base-path /jobs --host intranet.example.org     behind a proxy",
            "  couchjobs dashboard --api --auth-token-file tokens --read-token-file monitors"
        })
final class DashboardCommand extends QueueCommand {
    static final String PASSWORD = "COUCHJOBS_DASHBOARD_PASSWORD";

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where; default 127.0.0.1:8080. Port 0 takes a free one, host 0.0.0.0 is everywhere.")
    private String listen = "127.0.0.1:8080";

    @Option(names = "--base-path", paramLabel = "PATH", description = "Put the pages below a path, such as /jobs.")
    private String basePath = "";

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "A name by which browsers reach it; localhost and numbers need not be named.")
    private List<String> hosts = List.of();

    @Option(
            names = "--auth-user",
            paramLabel = "NAME",
            description = "Ask for this name and a password, from --auth-password-file, " + PASSWORD + " or a prompt.")
    private @Nullable String user;

    @Option(
            names = "--auth-password-file",
            paramLabel = "FILE",
            description = "A file whose first line is the password for --auth-user.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--auth-token-file",
            paramLabel = "FILE",
            description = "A file with a bearer token in each line; each of them gives access, too.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--read-token-file",
            paramLabel = "FILE",
            description = "A file with a bearer token in each line; each of them gives access, and allows no changes.")
    private @Nullable Path readTokenFile;

    @Option(
            names = "--api",
            description = "Serve programs, too: the HTTP API below /api/v1/, which /api/v1/openapi.yaml describes.")
    private boolean api;

    @Option(
            names = "--allow-actions",
            description = "Let people change things even if other machines can reach the page.")
    private boolean allowActions;

    @Option(names = "--read-only", description = "Let nobody change anything.")
    private boolean readOnly;

    @Override
    void check() {
        if (allowActions && readOnly) {
            throw CommandException.usage("either --allow-actions or --read-only");
        } else if (user == null && passwordFile != null) {
            throw CommandException.usage("--auth-password-file needs --auth-user");
        }
    }

    @Override
    ExitCode run(JobQueue queue) throws InterruptedException {
        WebPage.Options options = new WebPage.Options(
                Address.parse(listen),
                basePath,
                hosts,
                user,
                password().orElse(null),
                tokens(tokenFile),
                tokens(readTokenFile),
                actions(),
                api);
        CountDownLatch stop = new CountDownLatch(1);
        Interrupts.onSignal(signal -> stop.countDown());
        try (WebPage page = WebPage.open(queue, options)) {
            String url = page.url().toString();
            output().line(() -> url, () -> JsonNodeFactory.instance.objectNode().put("url", url));
            root().say("couchjobs: the dashboard of " + queue.database().name() + "; Ctrl-C to stop");
            if (api) {
                root().say("couchjobs: the HTTP API is described by " + url + "api/v1/openapi.yaml");
            }
            stop.await();
        }
        root().say("couchjobs: stopped");
        return ExitCode.DONE;
    }

    private @Nullable Boolean actions() {
        return allowActions ? Boolean.TRUE : readOnly ? Boolean.FALSE : null;
    }

    private static List<String> tokens(@Nullable Path file) {
        if (file == null) {
            return List.of();
        }
        List<String> tokens = Settings.lines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        if (tokens.isEmpty()) {
            throw CommandException.usage("there is no token in " + file);
        }
        return tokens;
    }

    private Optional<String> password() {
        if (user == null) {
            return Optional.empty();
        }
        Optional<String> found = Optional.ofNullable(passwordFile)
                .map(Settings::firstLine)
                .or(() -> root().shell().variable(PASSWORD))
                .or(() -> root().shell().prompt().apply("Password of the dashboard for " + user + ": "));
        if (found.isEmpty()) {
            throw CommandException.usage("no password for --auth-user " + user + ": set " + PASSWORD
                    + " or give --auth-password-file (there is no terminal to ask at)");
        }
        return found;
    }
}

package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.embedded.junit.TestDatabase;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;

/**
 * A bash in a folder, in which {@code couchjobs} is the command line of this build. It runs in this JVM, so a command costs no start of
 * one. Commands that go on, such as a worker, do so until this is closed. Variables and functions stay from one script to the next.
 */
final class Bash implements AutoCloseable {
    /** Of the users that are made, and of those who are asked. */
    static final String PASSWORD = "secret";

    private static final String PRELUDE = """
            couchjobs() {
                local call code
                call=$(mktemp -d "$CALLS/XXXXXX")
                printf '%s\\0' "$PWD" "$@" > "$call/words"
                env -0 > "$call/env"
                cat > "$call/in"
                code=$( { echo "$call" >&3; head -n 1 <&3; } 3<> "/dev/tcp/127.0.0.1/$DOOR")
                cat "$call/out"
                cat "$call/err" >&2
                return "$code"
            }
            ./couchjobs() { couchjobs "$@"; }
            curl() { command curl -sS -f "$@"; }
            [ ! -f "$CALLS/variables" ] || . "$CALLS/variables"
            trap '{ export -p; declare -f; } > "$CALLS/variables"' EXIT
            set -a
            """;

    private static final Set<String> GOING_ON = Set.of("serve", "dashboard", "work", "watch");

    private final Path folder;
    private final Path calls;
    private final ServerSocket door;
    private final Map<String, String> variables = new HashMap<>();
    private final Deque<RunningCommand> going = new ConcurrentLinkedDeque<>();
    private final Hook hook;

    /** Hears of each command before it is run: a person types slowly. */
    @FunctionalInterface
    interface Hook {
        Hook NONE = command -> {};

        void before(String command) throws Exception;
    }

    Bash(Path folder, Map<String, String> variables, Hook hook) throws IOException {
        assumeTrue(Stream.of("bash", "curl", "jq").allMatch(Bash::isInstalled), "bash, curl or jq is not installed");
        this.folder = folder;
        this.hook = hook;
        this.variables.putAll(variables);
        calls = Files.createTempDirectory("couchjobs-bash");
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::listen, "bash");
    }

    /** A bash for the commands of a database: of couchjobs as always, of others by the variable {@code DB}. */
    static Bash at(TestDatabase database, Path folder, Hook hook) throws IOException {
        Map<String, String> variables = new HashMap<>(TestShell.at(database).environment());
        variables.put("DB", withUser(database, database.url()));
        return new Bash(folder, variables, hook);
    }

    /** {@return an address of the database's server, with what it takes to be let in} */
    static String withUser(TestDatabase database, URI url) {
        try {
            String user = database.user()
                    .map(name -> name + ":" + database.password().orElse(""))
                    .orElse(null);
            return new URI(url.getScheme(), user, url.getHost(), url.getPort(), url.getPath(), null, null).toString();
        } catch (URISyntaxException cannotBe) {
            throw new AssertionError(cannotBe);
        }
    }

    Bash with(String variable, String value) {
        variables.put(variable, value);
        return this;
    }

    /** Runs a script that must end well. */
    void done(String script) throws Exception {
        String unused = run(script);
    }

    /** {@return what a script said that must end well} */
    String run(String script) throws Exception {
        if (script.isBlank()) {
            return "";
        }
        assertThat(script).as("somebody else's server").doesNotContain(":5984");
        ProcessBuilder bash = new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", PRELUDE + script)
                .directory(folder.toFile())
                .redirectErrorStream(true);
        bash.environment().keySet().removeIf(name -> name.startsWith("COUCHJOBS_"));
        bash.environment().putAll(variables);
        bash.environment().put("CALLS", calls.toString());
        bash.environment().put("DOOR", String.valueOf(door.getLocalPort()));
        Process process = bash.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(script + "\n" + output).isZero();
        return output;
    }

    /** Stops what goes on, the latest first, which must end well. */
    @Override
    public void close() throws IOException {
        going.forEach(Bash::stop);
        door.close();
        try (Stream<Path> files = Files.walk(calls)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void stop(RunningCommand command) {
        try {
            TestShell.Said said = command.interrupt();
            assertThat(said.exitCode()).as(said.out() + said.err()).isIn(0, ExitCode.INTERRUPTED.number());
        } catch (InterruptedException itself) {
            Thread.currentThread().interrupt();
        }
    }

    private void listen() {
        try {
            while (true) {
                Socket socket = door.accept();
                daemon(() -> answer(socket), "a command");
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void answer(Socket socket) {
        try (socket) {
            String call = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            int code = call(Path.of(call));
            socket.getOutputStream().write((code + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    private int call(Path call) throws Exception {
        List<String> words = parts(call.resolve("words"));
        Path here = Path.of(words.get(0));
        String[] arguments =
                words.stream().skip(1).map(word -> fileOf(here, word)).toArray(String[]::new);
        hook.before(String.join(" ", arguments));
        TestShell shell = new TestShell().answering(PASSWORD);
        parts(call.resolve("env")).stream()
                .map(line -> line.split("=", 2))
                .filter(pair -> pair[0].startsWith("COUCHJOBS_"))
                .forEach(pair -> shell.with(pair[0], pair[1]));
        String in = Files.readString(call.resolve("in"));
        TestShell.Said said = say(in.isEmpty() ? shell.withPersonWhoSaysYes() : shell.input(in), List.of(arguments));
        Files.writeString(call.resolve("out"), said.out());
        Files.writeString(call.resolve("err"), said.err());
        return said.exitCode();
    }

    private TestShell.Said say(TestShell shell, List<String> words) {
        if (!GOING_ON.contains(words.get(0)) || words.contains("--until-empty")) {
            return shell.run(words.toArray(String[]::new));
        }
        RunningCommand command = shell.start(onFreePort(words));
        TestShell.Said said = command.awaitGoing();
        if (said.exitCode() == 0) {
            going.addFirst(command);
        }
        return said;
    }

    /** Other tests run at the same time. */
    private static String[] onFreePort(List<String> words) {
        Stream<String> free = words.contains("--listen") || words.contains("--port")
                ? Stream.of()
                : switch (words.get(0)) {
                    case "serve" -> Stream.of("--port", "0");
                    case "dashboard" -> Stream.of("--listen", "127.0.0.1:0");
                    default -> Stream.of();
                };
        return Stream.concat(words.stream(), free).toArray(String[]::new);
    }

    /** This JVM is in another folder than the bash. */
    private static String fileOf(Path here, String word) {
        return word.matches("[./\\w-]+") && Files.isRegularFile(here.resolve(word))
                ? here.resolve(word).normalize().toString()
                : word;
    }

    private static List<String> parts(Path file) throws IOException {
        return List.of(Files.readString(file).split("\0"));
    }

    private static void daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }
}

package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Types commands as a person would, and keeps what they said. */
final class TestShell {
    private final Map<String, String> environment = new HashMap<>();
    private byte[] input = {};
    private Optional<String> answer = Optional.empty();
    private Shell.Terminals terminals = Shell.Terminals.NONE;

    /** What a command said, and how it ended. */
    record Said(int exitCode, String out, String err) {
        JsonNode json() {
            try {
                return new JsonMapper().readTree(out);
            } catch (IOException notJson) {
                throw new AssertionError("not JSON: " + out + err, notJson);
            }
        }
    }

    TestShell() {
        environment.put("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
        environment.put("COUCHJOBS_CONFIG", "/dev/null");
    }

    /** The queue of the same database, for what a program would do. */
    static JobQueue queue(TestDatabase database) {
        JobQueueBuilder builder = JobQueue.builder(database.url()).renewLeases(false);
        database.user()
                .ifPresent(user -> builder.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        return builder.open();
    }

    static TestShell at(TestDatabase database) {
        TestShell shell = new TestShell().with("COUCHJOBS_URL", database.url().toString());
        database.user().ifPresent(user -> shell.with("COUCHJOBS_USER", user));
        database.password().ifPresent(password -> shell.with("COUCHJOBS_PASSWORD", password));
        return shell;
    }

    TestShell with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** What its commands find in their environment. */
    Map<String, String> environment() {
        return Map.copyOf(environment);
    }

    TestShell input(String text) {
        return input(text.getBytes(StandardCharsets.UTF_8));
    }

    TestShell input(byte[] bytes) {
        this.input = bytes.clone();
        return this;
    }

    TestShell terminals(Shell.Terminals which) {
        this.terminals = which;
        return this;
    }

    /** At a terminal, and to whatever is asked. */
    TestShell withPersonWhoSaysYes() {
        return input("y\n").terminals(new Shell.Terminals(true, false, true));
    }

    TestShell answering(String password) {
        this.answer = Optional.of(password);
        return this;
    }

    Said run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Cli.run(shell(out, err), args);
        return new Said(exitCode, out.toString(), err.toString());
    }

    /** Runs a command that must end well. */
    Said done(String... args) {
        Said said = run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }

    /** Runs a command whose arguments are wrong. The error must name what is wrong. */
    void usage(String named, String... args) {
        Said said = run(args);
        assertThat(said.exitCode()).as(said.err()).isEqualTo(2);
        assertThat(said.err()).contains(named);
    }

    /** Starts a command that goes on. */
    RunningCommand start(String... args) {
        return new RunningCommand(this::shell, args);
    }

    Shell shell(StringWriter out, StringWriter err) {
        return shell(new PrintWriter(out), new PrintWriter(err));
    }

    private Shell shell(PrintWriter out, PrintWriter err) {
        return new Shell(
                new ByteArrayInputStream(input),
                out,
                err,
                Map.copyOf(environment),
                Path.of("").toAbsolutePath(),
                terminals,
                question -> answer);
    }
}

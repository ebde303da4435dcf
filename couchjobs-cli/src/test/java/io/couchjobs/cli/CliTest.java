package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class CliTest {
    private final TestShell shell = new TestShell();

    static Stream<String> commands() {
        return root().getSubcommands().entrySet().stream().flatMap(CliTest::withInner);
    }

    private static Stream<String> withInner(Map.Entry<String, CommandLine> command) {
        if (command.getValue().getCommandSpec().usageMessage().hidden()) {
            return Stream.empty();
        }
        Stream<String> inner =
                command.getValue().getSubcommands().keySet().stream().map(name -> command.getKey() + " " + name);
        return Stream.concat(Stream.of(command.getKey()), inner);
    }

    private static CommandLine root() {
        return Cli.commandLine(new Couchjobs(new TestShell().shell(new StringWriter(), new StringWriter())));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void every_command_has_help_with_examples(String command) {
        TestShell.Said said = shell.run((command + " --help").split(" "));

        assertThat(said.exitCode()).isZero();
        assertThat(said.out()).startsWith("Usage: couchjobs " + command).contains("Examples:\n  couchjobs ");
        assertThat(said.err()).isEmpty();
        assertThat(shell.run(("help " + command).split(" ")).out()).isEqualTo(said.out());
    }

    @Test
    void the_version_is_one_line() {
        assertThat(shell.run("--version").out()).matches("couchjobs \\S+ \\(Java \\S+\\)\n");
    }

    @Test
    void misuse_is_one_line_on_stderr_and_exit_code_2() {
        assertMisuse("which command", "-q");
        assertMisuse("nonsense", "nonsense");
        assertMisuse("--nonsense", "--nonsense");
        assertMisuse("TYPE", "enqueue");
        assertMisuse("couchjobs: --at: not a time: 'soon'", "enqueue", "email", "--at", "soon");
        assertMisuse("exclude each other", "enqueue", "email", "--at", "+1h", "--in", "1h");
        assertMisuse("--data is not JSON", "enqueue", "email", "--data", "{");
        assertMisuse("must be a JSON object", "enqueue", "email", "--data", "[]");
        assertMisuse("no such file", "enqueue", "email", "--data", "@/no/such/file");
        assertMisuse("no such file", "enqueue", "email", "--from", "/no/such/file");
        assertMisuse("colon", "inspect", "a:b", "c");
        assertMisuse("0 to 99", "enqueue", "email", "--priority", "100");
        assertMisuse("--for: 'godot' is none of pending, ", "wait", "email", "1", "--for", "godot");
        assertMisuse("couchjobs: bash|zsh|fish: 'tcsh' is none of bash, zsh, fish (see", "completion", "tcsh");
        assertMisuse("not a duration: '5x'", "wait", "email", "1", "--timeout", "5x");
        assertMisuse("'xml' is none of table, json, ndjson", "watch", "-o", "xml");
        assertMisuse("cancelled; did you mean failed?", "list", "--status", "faild");
        assertMisuse("'foo' is none of waiting, scheduled, ", "list", "--status", "foo");
        assertMisuse("one argument too many: 'c'", "inspect", "a", "b", "c");
        assertMisuse("--timeout must be from 1ms to 1000d: 0s", "type", "set", "email", "--timeout", "0s");
        assertMisuse("--retry-delay must be from 0s to 1000d: 2000d", "type", "set", "a", "--retry-delay", "2000d");
        assertMisuse("not a number from 0 to 2147483647: '-1', nor default", "type", "set", "a", "--max-retries", "-1");
        assertMisuse("what to set?", "type", "set", "email");
        assertMisuse("add --all", "release", "--type", "email");
        assertMisuse("either TYPE ID or --all", "remove", "email", "1", "--type", "email", "--all");
        assertMisuse("all jobs of all types?", "remove", "--all", "--yes");
        assertMisuse("no terminal to ask at whether to act on many jobs", "retry", "--type", "email", "--all");
        assertMisuse("ID", "cancel", "email");
        assertMisuse("add --yes", "cancel", "--type", "email", "--all");
        assertMisuse("cannot start /no/such/program", "work", "email", "--", "/no/such/program");
        assertMisuse("not two numbers such as 2,1: '2'", "work", "email", "--fair", "2", "--", "true");
        assertMisuse("not both 0", "work", "email", "--fair", "0,0", "--", "true");
        assertMisuse("not a folder", "demo", "/no/such/folder");
        assertMisuse("not a URL", "counts", "--url", "nonsense");
    }

    @Test
    void a_mistyped_word_is_answered_with_the_word_that_may_have_been_meant() {
        assertMisuse("no such command: 'enque'; did you mean enqueue?", "enque", "email");
        assertMisuse("no such command: 'lsit'; did you mean list?", "lsit");
        assertMisuse("no such command: 'ste'; did you mean set?", "type", "ste");
        assertMisuse("no such command: 'wacth'; did you mean watch?", "help", "wacth");
        assertMisuse("no such command: 'frobnicate' (see", "frobnicate");
        assertMisuse("no such command: 'frobnicate' (see", "frobnicate", "--help");
        assertMisuse("no such command: 'ste'; did you mean set?", "type", "ste", "--help");
        assertMisuse("no such option: '--statu=x'; did you mean --status?", "list", "--statu=x");
        assertMisuse("no such command: 'rm'; did you mean remove?", "rm", "email", "42");
        assertMisuse("no such command: 'show'; did you mean inspect?", "help", "show");
        assertMisuse("no such command: 'delete'; did you mean remove?", "cron", "delete", "nightly");
        assertMisuse("no such command: 'push' (see", "cron", "push");
        assertMisuse("one argument too many: 'email'; if it is a type, write --type before it (see", "list", "email");
        assertMisuse("no such command: 'email'; if it is a type, write --type before it (see", "failures", "email");
        assertMisuse("one argument too many: 'email' (see", "gc", "email");
    }

    @Test
    void a_server_that_is_not_there_is_exit_code_6_before_or_after_the_command() {
        TestShell.Said after = shell.run("counts", "--url", "http://127.0.0.1:1/x");
        TestShell.Said before = shell.run("--url", "http://127.0.0.1:1/x", "counts");

        assertThat(after.exitCode()).isEqualTo(6);
        assertThat(after.err())
                .isEqualTo("couchjobs: cannot reach CouchDB at http://127.0.0.1:1: Connection refused."
                        + " Start one with \"couchjobs serve\", or name yours with --url\n");
        assertThat(before).isEqualTo(after);
        assertThat(shell.run("counts", "-v", "--url", "http://127.0.0.1:1/x").err())
                .contains("\tat io.couchjobs.");
    }

    @Test
    void shells_accept_their_completion_scripts(@TempDir Path folder) throws Exception {
        for (String name : List.of("bash", "zsh")) {
            String script = shell.run("completion", name).out();
            assertThat(script).contains("enqueue", "--concurrency").doesNotContain("warm-up");
            assertThat(script)
                    .contains("\"drain\"", "\"ndjson\"", "\"waiting\"", "\"removed\"", "\"bash\"", "\"auto\"")
                    .doesNotContain("\"NDJSON\"", "\"WAITING\"", "\"BASH\"", "\"AUTO\"");
        }
        Path bash = Files.writeString(
                folder.resolve("bash"), shell.run("completion", "bash").out());
        assertThat(exitCode("bash", "-n", bash.toString())).isZero();
    }

    @Test
    void fish_completes_commands_and_their_options() {
        assertThat(shell.run("completion", "fish").out())
                .contains("complete -c couchjobs -n '__couchjobs_at' -a enqueue -d 'Add a job")
                .contains("complete -c couchjobs -n '__couchjobs_in work' -l concurrency -r -d")
                .contains("complete -c couchjobs -l url -r")
                .doesNotContain("warm-up");
    }

    @Test
    void fish_offers_the_options_of_the_command_that_is_typed_and_of_no_other(@TempDir Path folder) throws Exception {
        assumeTrue(Bash.isInstalled("fish"), "fish is not installed");
        Path script = Files.writeString(
                folder.resolve("couchjobs.fish"),
                shell.run("completion", "fish").out());
        assertThat(offered(script, "couchjobs ")).contains("enqueue", "cron").doesNotContain("set");
        assertThat(offered(script, "couchjobs --url http://host enq")).containsExactly("enqueue");
        assertThat(offered(script, "couchjobs cron ")).contains("add", "list").doesNotContain("enqueue", "errors");
        assertThat(offered(script, "couchjobs cron list ")).isEmpty();
        assertThat(offered(script, "couchjobs cron list --")).contains("--url").doesNotContain("--status");
        assertThat(offered(script, "couchjobs list email --")).contains("--url", "--status");
        assertThat(offered(script, "couchjobs scope set email --"))
                .contains("--concurrency")
                .doesNotContain("--retention");
    }

    private static List<String> offered(Path script, String line) throws Exception {
        Process fish = new ProcessBuilder(
                        "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script.toString(), line)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return fish.inputReader().lines().map(offer -> offer.split("\t")[0]).toList();
    }

    @Test
    void an_argument_that_begins_with_a_minus_goes_behind_two_of_them() {
        for (String command : List.of("inspect", "explain", "cancel", "logs", "wait", "enqueue", "retry")) {
            assertMisuse("no such option: '-x'; if it is no option, write -- before it (see", command, "email", "-x");
        }
        assertMisuse("no such option: '-x' (see", "counts", "-x");
    }

    private void assertMisuse(String message, String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.err()).startsWith("couchjobs: ").contains(message).hasLineCount(1);
        assertThat(said.exitCode()).as(said.err()).isEqualTo(2);
        assertThat(said.out()).isEmpty();
    }

    private static int exitCode(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }
}

package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.StringWriter;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class HelpTest {
    private final TestShell shell = new TestShell();

    @ParameterizedTest
    @MethodSource("helps")
    void every_help_fits_100_columns_and_ends_with_examples(String help) {
        assertThat(help.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        List<String> examples = help.lines()
                .dropWhile(line -> !line.equals("Examples:"))
                .skip(1)
                .toList();
        assertThat(examples).hasSizeGreaterThanOrEqualTo(2).allMatch(line -> line.startsWith("  "));
    }

    @Test
    void no_text_has_a_percent_sign_that_the_help_would_take_for_a_placeholder() {
        assertThat(commands(root()).flatMap(HelpTest::texts))
                .allSatisfy(text -> assertThatCode(() -> String.format(text)).doesNotThrowAnyException());
    }

    /** As they stand in the sources: picocli shows a text that cannot be formatted as it is, and warns. */
    private static Stream<String> texts(CommandLine command) {
        CommandLine.Command its =
                command.getCommandSpec().userObject().getClass().getAnnotation(CommandLine.Command.class);
        Stream<String> options = command.getCommandSpec().options().stream()
                .map(option -> option.userObject() instanceof Field field
                        ? field.getAnnotation(CommandLine.Option.class)
                        : null)
                .filter(Objects::nonNull)
                .flatMap(option -> Stream.of(option.description()));
        return Stream.of(Stream.of(its.description()), Stream.of(its.footerHeading()), Stream.of(its.footer()), options)
                .flatMap(texts -> texts);
    }

    @Test
    void the_commands_are_listed_in_groups_each_in_one_and_with_a_whole_short_sentence() {
        List<String> listed = HelpGroups.TEXT
                .lines()
                .filter(line -> line.startsWith("  "))
                .map(String::strip)
                .toList();
        assertThat(listed)
                .extracting(line -> line.split(" ", 2)[0])
                .containsExactlyInAnyOrderElementsOf(root().getSubcommands().values().stream()
                        .filter(command ->
                                !command.getCommandSpec().usageMessage().hidden())
                        .map(CommandLine::getCommandName)
                        .toList());
        assertThat(listed)
                .extracting(line -> line.split(" +", 2)[1])
                .allMatch(line -> line.endsWith(".") && line.length() <= 60);
        assertThat(shell.run("--help").out())
                .contains("\nRun jobs:\n  enqueue     Add a job, many from a file, or an array of items.\n  work ")
                .contains("\nMaintain:\n  doctor ");
    }

    @Test
    void a_line_of_an_option_begins_with_a_sentence() {
        assertThat(commands(root()).flatMap(command -> command.getCommandSpec().options().stream()))
                .allSatisfy(option -> assertThat(String.join("\n", option.description()))
                        .as(option.longestName())
                        .doesNotContainPattern("[^.:]\n"));
    }

    @Test
    void without_arguments_it_shows_the_help() {
        TestShell.Said said = shell.run();
        assertThat(said.exitCode()).isZero();
        assertThat(said.out()).isEqualTo(shell.run("--help").out());
    }

    @Test
    void options_of_the_connection_have_a_help_of_their_own() {
        assertThat(shell.run("--help").out())
                .contains("--help-connection", "--output")
                .doesNotContain("--ca-cert");
        TestShell.Said said = shell.run("--help-connection");
        assertThat(said.exitCode()).isZero();
        assertThat(said.out())
                .contains("--url=URL", "--user=NAME", "--ca-cert=FILE", "--insecure")
                .contains("A URL without a database means the database couchjobs.")
                .doesNotContain("--output");
    }

    static Stream<String> helps() {
        return commands(root()).map(CommandLine::getUsageMessage);
    }

    private static CommandLine root() {
        return Cli.commandLine(new Couchjobs(new TestShell().shell(new StringWriter(), new StringWriter())));
    }

    private static Stream<CommandLine> commands(CommandLine command) {
        return Stream.concat(
                Stream.of(command),
                command.getSubcommands().values().stream()
                        .filter(inner -> !inner.getCommandSpec().usageMessage().hidden())
                        .flatMap(HelpTest::commands));
    }
}

package io.couchjobs.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The manual of a command, taken from the model by which its arguments are parsed. Immutable.
 *
 * @param name the full name, such as {@code couchjobs cron add}
 * @param synopsis the ways to call the command
 * @param description what the command does
 * @param parameters its arguments
 * @param options its own options; those of the root are the global ones
 * @param commands the names of its subcommands
 * @param footer the footer, mostly examples
 */
record ManualPage(
        String name,
        List<String> synopsis,
        List<String> description,
        List<Entry> parameters,
        List<Entry> options,
        List<String> commands,
        List<String> footer) {
    /**
     * An argument.
     *
     * @param names how the argument is written, such as {@code -o, --output FORMAT}
     * @param text the description
     */
    record Entry(String names, String text) {}

    /** {@return the pages of a command and of its visible subcommands, in the order of the help} */
    static List<ManualPage> of(CommandLine command) {
        List<ManualPage> pages = new ArrayList<>(List.of(page(command)));
        shown(command).forEach(inner -> pages.addAll(of(inner)));
        return List.copyOf(pages);
    }

    /** {@return the visible subcommands of a command} */
    static Stream<CommandLine> shown(CommandLine command) {
        return command.getSubcommands().values().stream()
                .filter(inner -> !inner.getCommandSpec().usageMessage().hidden());
    }

    private static ManualPage page(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        boolean isRoot = command.getParent() == null;
        Help help = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF));
        UsageMessageSpec usage = spec.usageMessage();
        Stream<String> footer = Stream.concat(
                usage.footerHeading().formatted().lines().dropWhile(String::isEmpty), plain(usage.footer()).stream());
        return new ManualPage(
                spec.qualifiedName(),
                help.synopsis(0).lines().map(String::strip).toList(),
                plain(usage.description()),
                spec.positionalParameters().stream()
                        .filter(parameter -> !parameter.hidden())
                        .map(parameter -> new Entry(parameter.paramLabel(), text(parameter)))
                        .toList(),
                (isRoot ? spec.options() : HelpLayout.own(spec))
                        .stream().map(ManualPage::option).toList(),
                shown(command)
                        .map(inner -> inner.getCommandSpec().qualifiedName())
                        .toList(),
                footer.toList());
    }

    /** Turns format strings into plain text: %% stands for %. The description of an argument is plain already. */
    private static List<String> plain(String... lines) {
        return Stream.of(lines).map(line -> line.replace("%%", "%")).toList();
    }

    private static Entry option(OptionSpec option) {
        String names = String.join(", ", option.names());
        return new Entry(option.arity().max() == 0 ? names : names + " " + option.paramLabel(), text(option));
    }

    private static String text(ArgSpec argument) {
        return String.join(" ", Arrays.asList(argument.description()));
    }
}

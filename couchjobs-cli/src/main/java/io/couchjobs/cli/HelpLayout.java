package io.couchjobs.cli;

import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Lays out the help. The help of a command leaves out the global options, which the help of the root command lists. */
final class HelpLayout {
    private static final int WIDTH = 100;
    private static final String ELSEWHERE =
            "Global options: couchjobs --help; --url, --user, ...: couchjobs --help-connection";
    /** The options that name the server and the user. Few people need more than two of them. */
    private static final Set<String> CONNECTION = Set.of(
            "--url",
            "--user",
            "--password-file",
            "--token-file",
            "--ca-cert",
            "--client-cert",
            "--client-key",
            "--client-key-password-file",
            "--proxy",
            "--insecure");

    private HelpLayout() {}

    static void apply(CommandLine line) {
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        usage.abbreviateSynopsis(true);
        usage.sortOptions(false);
        usage.sortSynopsis(false);
        usage.width(WIDTH);
        usage.description(String.join(" ", usage.description()));
        usage.parameterListHeading(line.getCommandSpec().positionalParameters().isEmpty() ? "" : "%n");
        usage.optionListHeading("%nOptions:%n");
        usage.commandListHeading("%nCommands:%n");
        usage.footerHeading(usage.footerHeading() + "%nExamples:%n");
        if (line.getParent() == null) {
            usage.commandListHeading("");
            usage.sectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpLayout::rootOptions);
            usage.sectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpGroups::list);
        } else {
            usage.optionListHeading(own(line.getCommandSpec()).isEmpty() ? "" : "%nOptions:%n");
            usage.sectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpLayout::ownOptions);
        }
        if (line.getCommand() instanceof JobsCommand) {
            String name = line.getCommandSpec().qualifiedName();
            usage.customSynopsis(name + " [OPTIONS] TYPE ID", name + " [OPTIONS] --all --type T [--status S] ...");
        }
        line.getSubcommands().values().forEach(HelpLayout::apply);
    }

    /** Returns the help of the options that name the server and the user. */
    static String connectionOptions(CommandLine root) {
        Help help = root.getHelp();
        return help.optionListExcludingGroups(root.getCommandSpec().options().stream()
                .filter(HelpLayout::isOfConnection)
                .toList());
    }

    private static String rootOptions(Help help) {
        return help.optionListExcludingGroups(help.commandSpec().options().stream()
                .filter(option -> !isOfConnection(option))
                .toList());
    }

    private static boolean isOfConnection(OptionSpec option) {
        return CONNECTION.contains(option.longestName());
    }

    private static String ownOptions(Help help) {
        return help.optionListExcludingGroups(own(help.commandSpec()))
                + System.lineSeparator()
                + ELSEWHERE
                + System.lineSeparator();
    }

    static List<OptionSpec> own(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.inherited() && !option.hidden())
                .toList();
    }
}

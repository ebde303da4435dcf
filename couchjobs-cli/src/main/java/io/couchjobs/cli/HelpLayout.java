package io.couchjobs.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Leaves the global options out of a command's help: they are listed once, at the top. */
final class HelpLayout {
    private static final String ELSEWHERE = "Global options (--url, --user, -o json, -q, -v, ...): couchjobs --help";

    private HelpLayout() {}

    static void apply(CommandLine line) {
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        usage.abbreviateSynopsis(true);
        usage.sortOptions(false);
        usage.sortSynopsis(false);
        usage.width(110);
        usage.parameterListHeading(line.getCommandSpec().positionalParameters().isEmpty() ? "" : "%n");
        usage.optionListHeading("%nOptions:%n");
        usage.commandListHeading("%nCommands:%n");
        if (line.getParent() != null) {
            usage.optionListHeading(own(line.getCommandSpec()).isEmpty() ? "" : "%nOptions:%n");
            usage.sectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpLayout::ownOptions);
        }
        if (line.getCommand() instanceof JobsCommand) {
            String name = line.getCommandSpec().qualifiedName();
            usage.customSynopsis(name + " [OPTIONS] TYPE ID", name + " [OPTIONS] --all --type T [--status S] ...");
        }
        line.getSubcommands().values().forEach(HelpLayout::apply);
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

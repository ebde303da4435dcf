package io.couchjobs.cli;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A completion script for fish, which picocli does not write. */
final class FishCompletion {
    private final StringBuilder script = new StringBuilder("complete -c couchjobs -f\n");

    private FishCompletion() {}

    static String script(CommandLine root) {
        FishCompletion fish = new FishCompletion();
        root.getCommandSpec().options().forEach(option -> fish.option("", option));
        fish.commands(root, "__fish_use_subcommand");
        return fish.script.toString();
    }

    private void commands(CommandLine parent, String condition) {
        for (Map.Entry<String, CommandLine> entry : parent.getSubcommands().entrySet()) {
            CommandSpec command = entry.getValue().getCommandSpec();
            if (command.usageMessage().hidden()) {
                continue;
            }
            String name = entry.getKey();
            line(
                    condition,
                    "-a " + name + " -d " + quoted(first(command.usageMessage().description())));
            String inside = "__fish_seen_subcommand_from " + name;
            command.options().stream()
                    .filter(option -> !option.inherited() && !option.hidden())
                    .forEach(option -> option(inside, option));
            commands(entry.getValue(), inside);
        }
    }

    private void option(String condition, OptionSpec option) {
        StringBuilder what = new StringBuilder();
        for (String name : option.names()) {
            what.append(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
                    .append(' ');
        }
        if (option.arity().max() > 0) {
            what.append("-r ");
        }
        line(condition, what + "-d " + quoted(first(option.description())));
    }

    private void line(String condition, String what) {
        script.append("complete -c couchjobs ");
        if (!condition.isEmpty()) {
            script.append("-n ").append(quoted(condition)).append(' ');
        }
        script.append(what).append('\n');
    }

    private static String first(String[] lines) {
        return lines.length == 0 ? "" : lines[0];
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}

package io.couchjobs.cli;

import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Writes a completion script for fish, which picocli does not. */
final class FishCompletion {
    /**
     * Functions that compare the typed words with a path of commands: exactly this path, or this path and more words. The values
     * of options before the first command are skipped.
     */
    private static final String HEAD = """
            function __couchjobs_words
                set -l words (commandline -opc | string match -v -- '-*')
                set -e words[1]
                while set -q words[1]; and not contains -- $words[1] %s
                    set -e words[1]
                end
                echo "$words"
            end
            function __couchjobs_at
                test (__couchjobs_words) = "$argv"
            end
            function __couchjobs_in
                string match -q -- "$argv *" (__couchjobs_words)' '
            end
            complete -c couchjobs -f
            """;

    private final StringBuilder script = new StringBuilder();

    private FishCompletion() {}

    static String script(CommandLine root) {
        FishCompletion fish = new FishCompletion();
        String commands =
                ManualPage.shown(root).map(CommandLine::getCommandName).collect(Collectors.joining(" "));
        fish.script.append(HEAD.formatted(commands));
        root.getCommandSpec().options().forEach(option -> fish.option("", option));
        fish.commands(root, "");
        return fish.script.toString();
    }

    private void commands(CommandLine parent, String path) {
        ManualPage.shown(parent).forEach(inner -> {
            CommandSpec command = inner.getCommandSpec();
            String inside = path + " " + command.name();
            line(
                    "__couchjobs_at" + path,
                    "-a " + command.name() + " -d "
                            + quoted(first(command.usageMessage().description())));
            HelpLayout.own(command).forEach(option -> option("__couchjobs_in" + inside, option));
            commands(inner, inside);
        });
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

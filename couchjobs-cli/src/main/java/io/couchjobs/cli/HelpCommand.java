package io.couchjobs.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code help [COMMAND]}: shows the same as {@code COMMAND --help}. */
@Command(
        name = "help",
        description = "Show the help of a command.",
        footer = {"  couchjobs help", "  couchjobs help enqueue"})
final class HelpCommand extends CliCommand {
    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..*",
            description = "The command; without it, all commands are listed.")
    private List<String> path = List.of();

    @Override
    public Integer call() {
        CommandLine command = spec().root().commandLine();
        for (String name : path) {
            CommandLine inner = command.getSubcommands().get(name);
            if (inner == null) {
                throw new ParameterException(spec().commandLine(), Problems.noSuchCommand(name, command));
            }
            command = inner;
        }
        command.usage(spec().commandLine().getOut());
        return ExitCode.DONE.number();
    }
}

package io.couchjobs.cli;

import io.couchjobs.cli.CompletionCommand.ShellName;
import io.couchjobs.cli.GlobalOptions.Colour;
import io.couchjobs.cli.bench.Figure;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.input.JobReader;
import io.couchjobs.cli.input.Time;
import io.couchjobs.cli.logging.LogLevels;
import io.couchjobs.cli.output.Format;
import io.couchjobs.job.After;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.Trigger;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Parses the arguments, runs the command, and turns its result into an exit code. */
final class Cli {
    private Cli() {}

    static int run(Shell shell, String... args) {
        int exitCode = commandLine(new Couchjobs(shell)).execute(args);
        shell.out().flush();
        Optional<String> lost = shell.lostOutput();
        lost.ifPresent(why -> shell.err().println("couchjobs: cannot write to standard output: " + why));
        shell.err().flush();
        return exitCode == 0 && lost.isPresent() ? ExitCode.FAILED.number() : exitCode;
    }

    static CommandLine commandLine(Couchjobs root) {
        Shell shell = root.shell();
        Problems problems = new Problems(root);
        CommandLine line = new CommandLine(root)
                .setOut(shell.out())
                .setErr(shell.err())
                .setExpandAtFiles(false)
                .setAbbreviatedOptionsAllowed(false)
                .registerConverter(JobStatus.class, EnumNames.oneOf(JobStatus.class))
                .registerConverter(JobFilter.Label.class, EnumNames.label())
                .registerConverter(Format.class, EnumNames.oneOf(Format.class))
                .registerConverter(Figure.class, EnumNames.oneOf(Figure.class))
                .registerConverter(Colour.class, EnumNames.oneOf(Colour.class))
                .registerConverter(ShellName.class, EnumNames.oneOf(ShellName.class))
                .registerConverter(After.OnFailure.class, EnumNames.oneOf(After.OnFailure.class))
                .registerConverter(Schedule.MissedPolicy.class, EnumNames.oneOf(Schedule.MissedPolicy.class))
                .registerConverter(Schedule.OverlapPolicy.class, EnumNames.oneOf(Schedule.OverlapPolicy.class))
                .registerConverter(Trigger.Delivery.class, EnumNames.oneOf(Trigger.Delivery.class))
                .registerConverter(Trigger.Deletions.class, EnumNames.oneOf(Trigger.Deletions.class))
                .registerConverter(Outbox.Entries.class, EnumNames.oneOf(Outbox.Entries.class))
                .registerConverter(JobReader.Format.class, EnumNames.oneOf(JobReader.Format.class))
                .registerConverter(Duration.class, saying(Durations::parse))
                .registerConverter(Time.class, saying(Time::new))
                .setParameterExceptionHandler(problems::misused)
                .setExecutionExceptionHandler(problems::failed)
                .setExecutionStrategy(parsed -> {
                    LogLevels.configure(root.options().verbose, root.options().quiet);
                    requireKnownCommand(parsed);
                    return new CommandLine.RunLast().execute(parsed);
                });
        WholeNumbers.register(line);
        HelpLayout.apply(line);
        return line;
    }

    /** Refuses an unknown command, which picocli lets pass when {@code --help} follows it. */
    private static void requireKnownCommand(ParseResult parsed) {
        ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        CommandLine command = last.commandSpec().commandLine();
        if (!last.unmatched().isEmpty() && !command.getSubcommands().isEmpty()) {
            throw new UnmatchedArgumentException(command, last.unmatched());
        }
    }

    /** Shows the converter's own message instead of picocli's "Could not convert ...". */
    private static <T> ITypeConverter<T> saying(ITypeConverter<T> converter) {
        return text -> {
            try {
                return converter.convert(text);
            } catch (IllegalArgumentException bad) {
                throw new TypeConversionException(bad.getMessage());
            }
        };
    }
}

package io.couchjobs.cli;

import io.couchjobs.cli.output.Format;
import io.couchjobs.cli.output.Output;
import io.couchjobs.cli.output.ProgressLine;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root command. It provides the shell and the global options to all commands. */
@Command(
        name = "couchjobs",
        description = "A document job queue on Apache CouchDB.",
        versionProvider = Version.class,
        subcommands = {
            DemoCommand.class,
            InitCommand.class,
            EnqueueCommand.class,
            InspectCommand.class,
            ExplainCommand.class,
            ListCommand.class,
            CountsCommand.class,
            WaitCommand.class,
            FailuresCommand.class,
            HistoryCommand.class,
            WatchCommand.class,
            LogsCommand.class,
            WorkCommand.class,
            CancelCommand.class,
            RetryCommand.class,
            RemoveCommand.class,
            ReleaseCommand.class,
            RescheduleCommand.class,
            PrioritizeCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            MarkCommand.class,
            TypesCommand.class,
            TypeCommand.class,
            CronCommand.class,
            TriggerCommand.class,
            ScopeCommand.class,
            WorkersCommand.class,
            TopCommand.class,
            DashboardCommand.class,
            DesignCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            GcCommand.class,
            DoctorCommand.class,
            BenchCommand.class,
            ServeCommand.class,
            CompletionCommand.class,
            ManualCommand.class,
            HelpCommand.class,
            DemoWorkerCommand.class,
            BenchWorkerCommand.class,
            WarmUpCommand.class
        },
        footerHeading =
                "%nExit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 refused by the job's state, 5 timed out,%n"
                        + "6 CouchDB unreachable, 7 not authorised, 130 interrupted with work left undone.%n"
                        + "More about a command: couchjobs COMMAND --help%n",
        footer = {
            "  couchjobs demo                          see it work, with nothing installed but Java",
            "  couchjobs serve                         an embedded server for development",
            "  couchjobs enqueue email 42 --data '{\"to\":\"a@example.org\"}'",
            "  couchjobs work email -- ./send-mail     run a program for each job",
            "  couchjobs counts                        what is waiting, running, done",
            "  couchjobs dashboard                     the same and more, in a browser"
        })
final class Couchjobs implements Runnable {
    private final Shell shell;

    @Mixin
    private final GlobalOptions options = new GlobalOptions();

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // picocli acts on it
    private boolean version;

    @Option(
            names = "--help-connection",
            help = true,
            description = "Show the options of the connection: --url, --user and more.")
    private boolean connectionHelp;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    Couchjobs(Shell shell) {
        this.shell = shell;
    }

    @Override
    public void run() {
        CommandLine line = spec.commandLine();
        if (connectionHelp) {
            line.getOut().print(HelpLayout.connectionOptions(line));
        } else if (line.getParseResult().originalArgs().isEmpty()) {
            line.usage(line.getOut());
        } else {
            throw new ParameterException(line, "which command?");
        }
        line.getOut().flush();
    }

    Shell shell() {
        return shell;
    }

    GlobalOptions options() {
        return options;
    }

    Settings settings() {
        return Settings.of(options, shell);
    }

    Output output() {
        Format format = settings().output();
        return new Output(shell.out(), format, settings().colour());
    }

    /**
     * Checks the output format before anything is done. Throws CommandException when the format is unknown or does not fit the
     * results.
     */
    void checkOutput(boolean hasIds) {
        if (output().format() == Format.ID && !hasIds) {
            throw CommandException.usage("this command prints no ids: -o id works only for commands that do");
        }
    }

    ProgressLine progress() {
        ProgressLine.Mode mode = options.quiet
                ? ProgressLine.Mode.OFF
                : shell.terminals().err() ? ProgressLine.Mode.TERMINAL : ProgressLine.Mode.LINES;
        return new ProgressLine(shell.err(), mode, System::nanoTime);
    }

    /** Prints a message to standard error, unless {@code -q} was given. */
    void say(String message) {
        if (!options.quiet) {
            warn(message);
        }
    }

    /** Prints a message to standard error, even with {@code -q}. */
    void warn(String message) {
        shell.err().println(message);
        shell.err().flush();
    }
}

package io.couchjobs.cli;

import io.couchjobs.cli.output.Cell;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns an exception into a line on standard error and an exit code. */
final class Problems {
    /** The names that other programs use for commands of this one. */
    private static final Map<String, String> ELSEWHERE = Map.of(
            "add", "enqueue",
            "delete", "remove",
            "get", "inspect",
            "ls", "list",
            "push", "enqueue",
            "rm", "remove",
            "run", "work",
            "show", "inspect",
            "stats", "counts",
            "status", "counts");

    private final Couchjobs root;

    Problems(Couchjobs root) {
        this.root = root;
    }

    int misused(ParameterException problem, String[] args) {
        CommandLine command = problem.getCommandLine();
        String advice = "(see " + command.getCommandSpec().qualifiedName() + " --help)";
        say(command.getErr(), misuse(problem) + " " + advice, problem);
        return ExitCode.USAGE.number();
    }

    private static String misuse(ParameterException problem) {
        if (problem instanceof UnmatchedArgumentException unmatched) {
            return unmatched(unmatched.getUnmatched().get(0), unmatched.getCommandLine());
        } else if (problem.getCause() instanceof TypeConversionException wrong && problem.getArgSpec() != null) {
            return name(problem.getArgSpec()) + ": " + wrong.getMessage();
        }
        return explain(problem);
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static String unmatched(String argument, CommandLine command) {
        if (argument.startsWith("-")) {
            return "no such option: '" + argument + "'" + remark(argument, command.getCommandSpec());
        }
        CommandSpec spec = command.getCommandSpec();
        boolean maybeType = spec.positionalParameters().isEmpty() && spec.findOption("--type") != null;
        return (command.getSubcommands().isEmpty()
                        ? "one argument too many: '" + argument + "'"
                        : noSuchCommand(argument, command))
                + (maybeType ? "; if it is a type, write --type before it" : "");
    }

    /**
     * Suggests what was meant instead of an unknown option. A one-letter option gets no suggestion, because it resembles any
     * other.
     */
    private static String remark(String option, CommandSpec command) {
        String question = option.startsWith("--")
                ? Nearest.question(
                        option.replaceFirst("=.*", ""), command.optionsMap().keySet())
                : "";
        return question.isEmpty() && !command.positionalParameters().isEmpty()
                ? "; if it is no option, write -- before it"
                : question;
    }

    /** Returns the message that a command has no such subcommand, with the one that may have been meant. */
    static String noSuchCommand(String name, CommandLine command) {
        List<String> names =
                ManualPage.shown(command).map(CommandLine::getCommandName).toList();
        String word = ELSEWHERE.getOrDefault(name, name);
        return "no such command: '" + name + "'" + Nearest.question(names.contains(word) ? word : name, names);
    }

    int failed(Exception problem, CommandLine command, ParseResult parsed) {
        boolean interrupted = Thread.currentThread().isInterrupted(); // if so, the problem is only a consequence
        ExitCode exitCode = interrupted ? ExitCode.INTERRUPTED : ExitCode.of(problem);
        if (exitCode == ExitCode.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        say(command.getErr(), exitCode == ExitCode.INTERRUPTED ? "interrupted" : explained(problem), problem);
        return exitCode.number();
    }

    /** {@return a message for people, with advice where the server's answer needs it} */
    String explained(Exception problem) {
        return Optional.of(problem)
                .filter(CouchException.class::isInstance)
                .map(CouchException.class::cast)
                .flatMap(failed -> new ServerProblem(root.settings()).explain(failed))
                .map(Problems::oneLine)
                .orElseGet(() -> explain(problem));
    }

    /** Returns a message for people. When CouchDB does not find something, a missing database is by far the likeliest cause. */
    static String explain(Throwable problem) {
        String message =
                problem.getMessage() == null ? problem.toString() : withoutRequest(problem.getMessage(), problem);
        if (problem instanceof CouchNotFoundException) {
            return oneLine(message) + " (to create the database, run \"couchjobs init\")";
        }
        return oneLine(message);
    }

    /** Removes the request and the status from a message; the stack trace of {@code -v} has them. */
    private static String withoutRequest(String message, Throwable problem) {
        if (!(problem instanceof CouchException failed)) {
            return message;
        }
        String request = failed.method() + " " + failed.path() + ": ";
        String status = failed.status() > 0 ? failed.status() + " " : "";
        return message.replace(request + status, "");
    }

    private void say(PrintWriter err, String message, Exception problem) {
        err.println("couchjobs: " + message);
        if (root.options().verbose) {
            problem.printStackTrace(err);
        }
        err.flush();
    }

    private static String oneLine(String message) {
        return Cell.printable(message.strip().replaceAll("\\s*\\R\\s*", "; "));
    }
}

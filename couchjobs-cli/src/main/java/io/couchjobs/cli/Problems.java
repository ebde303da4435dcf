package io.couchjobs.cli;

import io.couchjobs.cli.output.Cell;
import io.couchjobs.couch.CouchNotFoundException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The one place where an exception becomes a line on standard error and an exit code. */
final class Problems {
    private final Couchjobs root;

    Problems(Couchjobs root) {
        this.root = root;
    }

    int misused(ParameterException problem, String[] args) {
        CommandLine command = problem.getCommandLine();
        String advice = "(see " + command.getCommandSpec().qualifiedName() + " --help)";
        say(command.getErr(), explain(problem) + " " + advice, problem);
        return ExitCode.USAGE.number();
    }

    int failed(Exception problem, CommandLine command, ParseResult parsed) {
        ExitCode exitCode = ExitCode.of(problem);
        if (exitCode == ExitCode.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        say(command.getErr(), explain(problem), problem);
        return exitCode.number();
    }

    /** What to tell a person: a missing database is by far the likeliest thing that CouchDB does not find. */
    static String explain(Throwable problem) {
        String message = problem.getMessage() == null ? problem.toString() : problem.getMessage();
        if (problem instanceof CouchNotFoundException) {
            return oneLine(message) + " (to create the database, run \"couchjobs init\")";
        }
        return oneLine(message);
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

package io.couchjobs.cli;

import java.util.List;
import picocli.CommandLine.Help;

/**
 * Commands for one purpose, as the help of the root command lists them. Immutable and thread-safe.
 *
 * @param title the purpose
 * @param commands the commands, in their order
 */
record HelpGroup(String title, List<Entry> commands) {
    /** All groups; each visible command is in one. */
    static final List<HelpGroup> ALL = List.of(
            new HelpGroup(
                    "Run jobs",
                    List.of(
                            new Entry("enqueue", "Add a job, many from a file, or an array of items."),
                            new Entry("work", "Run a program for each job."),
                            new Entry("wait", "Wait until a job is finished."),
                            new Entry("cron", "Make jobs again and again, by cron expression."),
                            new Entry("trigger", "Make jobs from documents that change."),
                            new Entry("scope", "Start, stop and change parts of the work."))),
            new HelpGroup(
                    "Look",
                    List.of(
                            new Entry("list", "List jobs, newest first."),
                            new Entry("counts", "Count jobs by type and status."),
                            new Entry("inspect", "Show all about one job, or about an array."),
                            new Entry("explain", "Tell why a job does not run, and what changes it."),
                            new Entry("failures", "List failed jobs in groups, by their errors."),
                            new Entry("logs", "Show the log of a job."),
                            new Entry("history", "Show runs, failures and waiting jobs over time."),
                            new Entry("watch", "Show changes as they happen."),
                            new Entry("top", "Show rates, jobs and workers live."),
                            new Entry("workers", "List workers and the jobs they run."),
                            new Entry("types", "List types that have jobs or settings."))),
            new HelpGroup(
                    "Act",
                    List.of(
                            new Entry("cancel", "Cancel jobs."),
                            new Entry("retry", "Let jobs run now, also failed ones."),
                            new Entry("reschedule", "Give pending jobs another time."),
                            new Entry("prioritize", "Give pending jobs another priority."),
                            new Entry("release", "Take jobs from their workers, and let others run them."),
                            new Entry("remove", "Delete jobs."),
                            new Entry("pause", "Let no worker claim jobs of a type."),
                            new Entry("resume", "Let workers claim jobs of a type again."),
                            new Entry("type", "Change the settings of a type."),
                            new Entry("mark", "Mark a deploy in the charts of the history."))),
            new HelpGroup(
                    "Set up",
                    List.of(
                            new Entry("init", "Create the database and its design documents."),
                            new Entry("design", "Show and push the design documents."),
                            new Entry("completion", "Print a completion script for the shell."),
                            new Entry("manual", "Print the manual."),
                            new Entry("help", "Show the help of a command."))),
            new HelpGroup(
                    "Serve",
                    List.of(
                            new Entry("demo", "See it work, with nothing installed but Java."),
                            new Entry("dashboard", "Show the queue on a web page."),
                            new Entry("serve", "Run an embedded server, for development."))),
            new HelpGroup(
                    "Maintain",
                    List.of(
                            new Entry("doctor", "Check the server, the database and the queue."),
                            new Entry("gc", "Delete what retention allows, and compact."),
                            new Entry("export", "Write jobs to standard output."),
                            new Entry("import", "Put exported jobs into the database."),
                            new Entry("bench", "Measure this installation."))));

    /**
     * A command.
     *
     * @param name its name
     * @param line what it does, in a sentence of at most 60 characters
     */
    record Entry(String name, String line) {}

    /** Lists all commands in their groups. */
    static String list(Help root) {
        StringBuilder text = new StringBuilder();
        for (HelpGroup group : ALL) {
            text.append(line("")).append(line(group.title + ":"));
            group.commands.forEach(command -> text.append(line("  %-12s%s".formatted(command.name, command.line))));
        }
        return text.toString();
    }

    private static String line(String text) {
        return text + System.lineSeparator();
    }
}

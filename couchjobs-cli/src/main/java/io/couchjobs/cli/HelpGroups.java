package io.couchjobs.cli;

import picocli.CommandLine.Help;

/** The commands, grouped by purpose, as the help of the root command lists them. */
final class HelpGroups {
    /** Each visible command is in one group, with a description of at most 60 characters. */
    static final String TEXT = """

            Run jobs:
              enqueue     Add a job, many from a file, or an array of items.
              work        Run a program for each job.
              wait        Wait until a job is finished.
              cron        Make jobs again and again, by cron expression.
              trigger     Make jobs from documents that change.
              scope       Start, stop and change parts of the work.

            Look:
              list        List jobs, newest first.
              counts      Count jobs by type and status.
              inspect     Show all about one job, or about an array.
              explain     Tell why a job does not run, and what changes it.
              failures    List failed jobs in groups, by their errors.
              logs        Show the log of a job.
              history     Show runs, failures and waiting jobs over time.
              watch       Show changes as they happen.
              top         Show rates, jobs and workers live.
              workers     List workers and the jobs they run.
              types       List types that have jobs or settings.

            Act:
              cancel      Cancel jobs.
              retry       Let jobs run now, also failed ones.
              reschedule  Give pending jobs another time.
              prioritize  Give pending jobs another priority.
              release     Take jobs from their workers, and let others run them.
              remove      Delete jobs.
              pause       Let no worker claim jobs of a type.
              resume      Let workers claim jobs of a type again.
              type        Change the settings of a type.
              mark        Mark a deploy in the charts of the history.

            Set up:
              init        Create the database and its design documents.
              design      Show and push the design documents.
              completion  Print a completion script for the shell.
              manual      Print the manual.
              help        Show the help of a command.

            Serve:
              demo        See it work, with nothing installed but Java.
              dashboard   Show the queue on a web page.
              serve       Run an embedded server, for development.

            Maintain:
              doctor      Check the server, the database and the queue.
              gc          Delete what retention allows, and compact.
              export      Write jobs to standard output.
              import      Put exported jobs into the database.
              bench       Measure this installation.
            """;

    private HelpGroups() {}

    static String list(Help root) {
        return TEXT.replace("\n", System.lineSeparator());
    }
}

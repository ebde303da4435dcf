package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.doctor.Check;
import io.couchjobs.cli.doctor.Checks;
import io.couchjobs.cli.doctor.Finding;
import io.couchjobs.cli.doctor.JobsCheck;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code doctor}: looks at the server and the database. */
@Command(
        name = "doctor",
        description = {
            "Check the server, the database and the queue: version, access, clocks, nodes and copies, design documents,",
            "indexes, conflicts, owners, malformed jobs and settings, times in seconds, tombstones, jobs that are due and",
            "that no worker takes, jobs that wait for jobs that do not exist, silent workers, failed jobs, triggers that are",
            "malformed, that nobody follows, that cannot read their source, that could not make a job or are far behind.",
            "Each finding comes with what follows from it and what to do. Exit code 1 when there is a problem."
        },
        footer = {
            "",
            "Examples:",
            "  couchjobs doctor",
            "  couchjobs doctor --fix           mends design documents and conflicts, which does no harm",
            "  couchjobs doctor --fix --yes     also takes jobs from unregistered owners, without asking",
            "  couchjobs doctor -o json"
        })
final class DoctorCommand extends QueueCommand {
    @Option(
            names = "--fix",
            description =
                    "Store missing design documents, resolve conflicts, harmless beside running workers; and, after a"
                            + " question, take jobs from owners that are not registered as workers (orphaned locks).")
    private boolean fix;

    @Option(names = "--yes", description = "Do not ask before taking jobs from owners that may be dead.")
    private boolean yes;

    @Override
    ExitCode run(JobQueue queue) {
        List<Row> rows = new ArrayList<>();
        Checks.ALL.forEach(check -> rows.add(new Row(check.name(), look(check, queue))));
        JobsCheck.look(queue).forEach(finding -> rows.add(new Row(JobsCheck.NAME, finding)));
        output().rows(() -> table(rows), () -> rows.stream()
                .map(row -> row.finding().json(row.check()))
                .toList());
        boolean hasProblems = rows.stream().anyMatch(row -> row.finding().isProblem());
        return hasProblems ? ExitCode.FAILED : ExitCode.DONE;
    }

    /** One finding of a check. */
    private record Row(String check, Finding finding) {}

    private Finding look(Check check, JobQueue queue) {
        Finding found = check.lookOrSay(queue);
        if (!fix || found.level() == Finding.Level.OK) {
            return found;
        }
        List<String> done = new ArrayList<>();
        if (found.isProblem()) {
            done.addAll(check.fix(queue));
        } else if (check.question(queue).filter(this::mayGo).isPresent()) {
            done.addAll(check.go(queue));
        }
        done.forEach(line -> root().say("couchjobs: " + line));
        return done.isEmpty() ? found : check.lookOrSay(queue);
    }

    private boolean mayGo(String question) {
        if (yes) {
            root().say("couchjobs: --yes: " + question);
            return true;
        } else if (!root().shell().terminals().in()) {
            root().say("couchjobs: not done, for want of a terminal to ask at, or --yes: " + question);
            return false;
        }
        return root().shell().confirms("couchjobs: " + question + " [y/N] ");
    }

    private static Table table(List<Row> rows) {
        Table table = new Table("CHECK", "", "FINDING");
        rows.forEach(row -> {
            Finding finding = row.finding();
            table.row(Cell.of(row.check()), level(finding), Cell.of(finding.what()));
            if (finding.level() != Finding.Level.OK) {
                table.row(Cell.of(""), Cell.of(""), Cell.of("so: " + finding.consequence(), Style.FAINT));
                table.row(Cell.of(""), Cell.of(""), Cell.of("do: " + finding.remedy(), Style.FAINT));
            }
        });
        return table;
    }

    private static Cell level(Finding finding) {
        return switch (finding.level()) {
            case OK -> Cell.of("ok", Style.GOOD);
            case NOTE -> Cell.of("note", Style.WARNING);
            case PROBLEM -> Cell.of("PROBLEM", Style.BAD);
        };
    }
}

package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Format;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.cli.schema.DocumentSchemas;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.dashboard.doctor.Check;
import io.couchjobs.dashboard.doctor.Checks;
import io.couchjobs.dashboard.doctor.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code doctor}: checks the server, the database and the queue. */
@Command(
        name = "doctor",
        description = {
            "Check the server, the database and the queue: version, access, clocks, nodes and copies, design documents,",
            "indexes, conflicts, owners, malformed jobs and settings, times in seconds, tombstones, jobs that are due and",
            "that no worker takes, jobs that wait in vain for other jobs, silent workers that own jobs, failed jobs, triggers",
            "that are malformed, that nobody follows, that cannot read their source, that could not make a job or are far behind.",
            "Each finding comes with what follows from it and what to do. Exit code 1 when there is a problem,",
            "or a step of --fix fails."
        },
        footer = {
            "  couchjobs doctor",
            "  couchjobs doctor --fix           mends design documents and conflicts, which does no harm",
            "  couchjobs doctor --fix --yes     also takes jobs from unregistered owners, without asking",
            "  couchjobs doctor -o json"
        })
final class DoctorCommand extends QueueCommand {
    private static final String JOBS = "jobs";
    private static final String NOTHING =
            "no job is due without a worker, no silent worker owns a job, no job has failed for good, each trigger is followed";

    @Option(
            names = "--fix",
            description =
                    "Store missing design documents, resolve conflicts, harmless beside running workers; and, after a"
                            + " question, take jobs from owners that are not registered as workers (orphaned locks).")
    private boolean fix;

    @Option(names = "--yes", description = "Do not ask before taking jobs from owners that may be dead.")
    private boolean yes;

    private boolean hasFailed;

    @Override
    ExitCode run(JobQueue queue) {
        List<Problem> found = new ArrayList<>();
        Checks.all(DocumentSchemas::problem).forEach(check -> found.add(look(check, queue)));
        found.addAll(ofJobs(queue));
        output().rows(
                        () -> output().format() == Format.CSV ? records(found) : table(found),
                        () -> found.stream().map(DoctorCommand::json).toList());
        return hasFailed || found.stream().anyMatch(DoctorCommand::isProblem) ? ExitCode.FAILED : ExitCode.DONE;
    }

    private Problem look(Check check, JobQueue queue) {
        Problem found = check.lookOrSay(queue);
        if (!fix || found.level() == Problem.Level.OK) {
            return found;
        }
        List<Step> steps = mend(found, check, queue);
        steps.forEach(this::tell);
        return steps.isEmpty() ? found : check.lookOrSay(queue);
    }

    /** Repairs what a check found. A failure becomes a step of the result, so that the other checks go on. */
    private List<Step> mend(Problem found, Check check, JobQueue queue) {
        try {
            if (isProblem(found)) {
                return check.fix(queue);
            }
            return check.question(queue).filter(this::mayGo).isPresent() ? check.go(queue) : List.of();
        } catch (CouchJobsException trouble) {
            return List.of(Step.failed("could not mend " + check.name(), trouble));
        }
    }

    private void tell(Step step) {
        step.failure().ifPresentOrElse(trouble -> fail(step, trouble), () -> root().say("couchjobs: " + step.text()));
    }

    private void fail(Step step, CouchJobsException trouble) {
        hasFailed = true;
        root().warn("couchjobs: " + step.text() + ": " + new Problems(root()).explained(trouble));
    }

    /**
     * Returns the problems of the queue's jobs. They are not among the {@link Checks}, because the dashboard finds them by
     * itself.
     */
    private static List<Problem> ofJobs(JobQueue queue) {
        try {
            List<Problem> problems = queue.operations().problems();
            return problems.isEmpty()
                    ? List.of(new Problem(JOBS, Problem.Level.OK, NOTHING, "", ""))
                    : problems.stream().map(DoctorCommand::ofJobs).toList();
        } catch (CouchException e) {
            return List.of(Check.untold(JOBS, e));
        }
    }

    private static Problem ofJobs(Problem found) {
        String finding = found.name() + ": " + found.finding();
        return new Problem(JOBS, found.level(), finding, found.consequence(), found.remedy());
    }

    private static boolean isProblem(Problem found) {
        return found.level() == Problem.Level.PROBLEM;
    }

    private static ObjectNode json(Problem found) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("check", found.name())
                .put("level", found.level().name().toLowerCase(Locale.ROOT))
                .put("finding", found.finding());
        return found.level() == Problem.Level.OK
                ? json
                : json.put("consequence", found.consequence()).put("remedy", found.remedy());
    }

    private boolean mayGo(String question) {
        if (yes) {
            root().say("couchjobs: --yes: " + question);
            return true;
        } else if (!root().shell().terminals().hasPerson()) {
            root().say("couchjobs: not done: there is no terminal to ask at, and --yes is not given: " + question);
            return false;
        }
        return root().shell().confirms("couchjobs: " + question + " [y/N] ");
    }

    private static Table table(List<Problem> all) {
        Table table = new Table("CHECK", "", "FINDING");
        all.forEach(found -> {
            table.row(Cell.of(found.name()), level(found), Cell.of(found.finding()));
            if (found.level() != Problem.Level.OK) {
                table.row(Cell.of(""), Cell.of(""), Cell.of("so: " + found.consequence(), Style.FAINT));
                table.row(Cell.of(""), Cell.of(""), Cell.of("do: " + found.remedy(), Style.FAINT));
            }
        });
        return table;
    }

    private static Table records(List<Problem> all) {
        Table table = new Table("CHECK", "LEVEL", "FINDING", "CONSEQUENCE", "REMEDY");
        all.forEach(found -> table.row(
                Cell.of(found.name()),
                level(found),
                Cell.of(found.finding()),
                Cell.of(found.consequence()),
                Cell.of(found.remedy())));
        return table;
    }

    private static Cell level(Problem found) {
        return switch (found.level()) {
            case OK -> Cell.of("ok", Style.GOOD);
            case NOTE -> Cell.of("note", Style.WARNING);
            case PROBLEM -> Cell.of("PROBLEM", Style.BAD);
        };
    }
}

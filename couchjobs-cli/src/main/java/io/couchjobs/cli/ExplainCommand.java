package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Format;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.dashboard.explain.Explainer;
import io.couchjobs.dashboard.explain.Reason;
import io.couchjobs.job.JobId;
import io.couchjobs.job.NotFoundException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code explain TYPE ID}: explains why a job does not run. */
@Command(
        name = "explain",
        description = {
            "Tell why a job does not run, or what it is doing, and the command that changes it.",
            "The decisive reason comes first. It cannot see the filter that a program gives its own workers."
        },
        footerHeading =
                "%nVerdicts: due, waiting-for-time, stuck, paused, held, limit, rate, no-worker, filtered, other-site,%n"
                        + "running, conflict, malformed, finished.%n",
        footer = {"  couchjobs explain email 42", "  couchjobs explain email 42 -o json | jq -r .verdict"})
final class ExplainCommand extends QueueCommand {
    @Mixin
    private final JobName name = new JobName();

    @Override
    void check() {
        name.id();
    }

    @Override
    ExitCode run(JobQueue queue) {
        List<Reason> reasons = explain(queue, name.id());
        if (output().format() == Format.TABLE) {
            reasons.forEach(this::print);
        } else {
            output().table(() -> table(reasons), () -> json(reasons));
        }
        return ExitCode.DONE;
    }

    /** Explains a job. When it is missing, the message names its document, because a document with another id is not a job. */
    private static List<Reason> explain(JobQueue queue, JobId id) {
        try {
            return Explainer.explain(queue, id);
        } catch (NotFoundException missing) {
            throw new CommandException(
                    ExitCode.NOT_FOUND, missing.getMessage() + " (there is no document " + id.docId() + ")");
        }
    }

    /** Prints a reason as sentences, which would be too long for the columns of a table. */
    private void print(Reason reason) {
        output().sentences(Cell.of(reason.verdict().json() + ":", Style.WARNING), reason.because());
        output().sentences(Cell.of("  do:"), reason.remedy());
    }

    private static Table table(List<Reason> reasons) {
        Table table = new Table("VERDICT", "BECAUSE", "DO");
        reasons.forEach(reason -> table.row(
                Cell.of(reason.verdict().json(), Style.WARNING), Cell.of(reason.because()), Cell.of(reason.line())));
        return table;
    }

    /** Returns the decisive reason, with the others in the field {@code also}. */
    private static ObjectNode json(List<Reason> reasons) {
        ObjectNode json = reasons.get(0).json();
        ArrayNode also = json.putArray("also");
        reasons.stream().skip(1).map(Reason::json).forEach(also::add);
        return json;
    }
}

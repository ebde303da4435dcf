package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobArrays;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Table;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code inspect TYPE ID}: shows all about one job. {@code inspect TYPE --array ID}: shows the state of an array, and the items
 * that failed.
 */
@Command(
        name = "inspect",
        description = "Show all about one job, or about an array.",
        footer = {
            "  couchjobs inspect email 42",
            "  couchjobs inspect email 42 -o json | jq .result",
            "  couchjobs inspect email --array campaign-7"
        })
final class InspectCommand extends QueueCommand {
    /** How many failed items are shown. */
    private static final int MOST_ERRORS = 100;

    @Parameters(index = "0", paramLabel = "TYPE", description = JobName.TYPE)
    private String type = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "The id of the job.")
    private @Nullable String id;

    @Option(
            names = "--array",
            paramLabel = "ID",
            description = "An array: how many of its items have ended, and the errors of the first 100 that failed.")
    private @Nullable String array;

    @Override
    boolean tellsIds() {
        return array == null;
    }

    @Override
    void check() {
        boolean isJob = id != null || JobName.isWhole(type);
        if (isJob == (array != null)) {
            throw CommandException.usage("inspect needs either the ID of a job or --array");
        }
        var unused = jobId();
    }

    private JobId jobId() {
        return JobName.of(type, id == null ? array : id);
    }

    @Override
    ExitCode run(JobQueue queue) {
        if (array != null) {
            return array(queue);
        }
        Job job = queue.get(jobId()).orElseThrow(() -> new NotFoundException(jobId()));
        output().table(() -> JobText.whole(job), () -> JobJson.of(job));
        return ExitCode.DONE;
    }

    private ExitCode array(JobQueue queue) {
        JobArrays.State state = queue.arrays().get(jobId()).orElseThrow(() -> CommandException.noArray(jobId()));
        List<JobArrays.Item> failed = queue.arrays()
                .items(jobId())
                .filter(item -> item.status() == JobStatus.FAILED || item.status() == JobStatus.STUCK)
                .limit(MOST_ERRORS)
                .toList();
        output().table(() -> table(state, failed), () -> json(state, failed));
        return ExitCode.DONE;
    }

    private static Table table(JobArrays.State state, List<JobArrays.Item> failed) {
        Table table = new Table("FIELD", "VALUE");
        table.row(Cell.of("items"), Cell.of(state.items() + (state.isComplete() ? "" : ", and more to be added")));
        table.row(Cell.of("chunks"), Cell.of(String.valueOf(state.chunks())));
        table.row(Cell.of("succeeded"), Cell.of(String.valueOf(state.succeeded())));
        table.row(Cell.of("failed"), Cell.of(String.valueOf(state.failed())));
        table.row(Cell.of("waiting"), Cell.of(String.valueOf(state.waiting())));
        table.row(Cell.of("running"), Cell.of(String.valueOf(state.running())));
        failed.forEach(item ->
                table.row(Cell.of("item " + item.index()), Cell.of(item.status().json() + ": " + item.error())));
        return table;
    }

    private ObjectNode json(JobArrays.State state, List<JobArrays.Item> failed) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("array", array)
                .put("items", state.items())
                .put("succeeded", state.succeeded())
                .put("failed", state.failed())
                .put("waiting", state.waiting())
                .put("running", state.running())
                .put("chunks", state.chunks());
        ArrayNode errors = json.putArray("errors");
        failed.forEach(item -> errors.addObject().put("item", item.index()).put("message", item.error()));
        return json;
    }
}

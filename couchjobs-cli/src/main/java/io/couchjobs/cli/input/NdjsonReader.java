package io.couchjobs.cli.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.dashboard.view.JobOrder;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads a job from each JSON object. Skips blank lines. An unknown field is an error. */
final class NdjsonReader implements JobReader {
    /** The fields of exported documents, which {@code couchjobs import} reads, but this class refuses. */
    private static final List<String> OF_JOBS_THAT_RAN =
            List.of("_id", "status", "result", "attempt", "errors", "times", "lock", "fence");

    private final TextLines lines;
    private final Supplier<JobRequest.Builder> template;
    private final Times times;
    private final IdField id;
    private final boolean isOfItems;

    NdjsonReader(TextLines lines, Supplier<JobRequest.Builder> template, Times times, IdField id) {
        this(lines, template, times, id, false);
    }

    private NdjsonReader(
            TextLines lines, Supplier<JobRequest.Builder> template, Times times, IdField id, boolean isOfItems) {
        this.lines = lines;
        this.template = template;
        this.times = times;
        this.id = id;
        this.isOfItems = isOfItems;
    }

    /** Creates a reader of the items of an array. */
    static NdjsonReader ofItems(TextLines lines, Supplier<JobRequest.Builder> template, Times times) {
        return new NdjsonReader(lines, template, times, IdField.NONE, true);
    }

    @Override
    public Optional<JobLine<JobRequest>> next() throws IOException {
        return lines.nextWritten().map(this::job);
    }

    private JobLine<JobRequest> job(TextLines.Line line) {
        if (line.problem() != null) {
            return JobLine.bad(line.number(), line.problem());
        }
        try {
            return JobLine.good(line.number(), line.text().length(), request(InputJson.MAPPER.readTree(line.text())));
        } catch (JsonProcessingException notJson) {
            return JobLine.bad(line.number(), "not JSON: " + JobReader.describe(notJson));
        } catch (IllegalArgumentException | InvalidJobDataException notAJob) {
            return JobLine.bad(line.number(), String.valueOf(notAJob.getMessage()));
        }
    }

    private JobRequest request(JsonNode json) {
        if (!(json instanceof ObjectNode order)) {
            throw new IllegalArgumentException("not a JSON object: " + JobOrder.shortened(json));
        }
        for (String field : OF_JOBS_THAT_RAN) {
            if (order.has(field)) {
                throw new IllegalArgumentException("unknown field: " + field
                        + " (a line makes a new job; couchjobs import takes jobs in the state that they are in)");
            }
        }
        if (isOfItems) {
            checkItem(order);
        }
        JobRequest.Builder job = template.get();
        JobOrder.fill(job, order, times::parse);
        if (!order.hasNonNull("id")) {
            id.identify(job, field -> id(field, order.path("data").path(field)));
        }
        return job.build();
    }

    private static void checkItem(ObjectNode order) {
        for (Map.Entry<String, JsonNode> field : order.properties()) {
            if (!field.getKey().equals("data") && !field.getValue().isNull()) {
                throw new IllegalArgumentException("an item of an array has data only, and no " + field.getKey());
            }
        }
    }

    private static Optional<String> id(String field, JsonNode value) {
        if (!value.isTextual() && !value.isNumber() && !value.isMissingNode()) {
            throw new IllegalArgumentException(
                    field + " of the data is to be the id, a text or a number, and is " + JobOrder.shortened(value));
        }
        return Optional.of(value.asText());
    }
}

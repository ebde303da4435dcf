package io.couchjobs.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes jobs for people. */
final class JobText {
    private static final int LONGEST_DETAIL = 72;

    private JobText() {}

    static Table table(List<Job> jobs, Instant now) {
        boolean sites = jobs.stream().anyMatch(job -> job.site().isPresent());
        Table table = sites
                ? new Table("TYPE", "ID", "SITE", "STATUS", "ATTEMPT", "AGE", "DETAIL")
                : new Table("TYPE", "ID", "STATUS", "ATTEMPT", "AGE", "DETAIL");
        for (Job job : jobs) {
            List<Cell> cells = new ArrayList<>(
                    List.of(Cell.of(job.type()), Cell.of(job.id().id())));
            if (sites) {
                cells.add(Cell.of(job.site().orElse("")));
            }
            cells.addAll(List.of(
                    status(job.status()),
                    Cell.of(Integer.toString(job.attempt())),
                    Cell.of(age(job, now)),
                    Cell.of(detail(job), Style.FAINT)));
            table.row(cells.toArray(new Cell[0]));
        }
        return table;
    }

    /** Returns everything about one job: a line for each field, and a line for the error of each attempt. */
    static Table whole(Job job) {
        Table table = new Table("FIELD", "VALUE");
        JobJson.of(job).properties().forEach(field -> {
            boolean empty = isEmpty(field.getValue());
            if (field.getKey().equals("status")) {
                table.row(Cell.of("status"), status(job.status()));
            } else if (!empty && !field.getKey().equals("errors")) {
                table.row(Cell.of(field.getKey()), Cell.of(text(field.getKey(), field.getValue())));
            }
        });
        job.errors()
                .forEach(error -> table.row(
                        Cell.of("error " + error.attempt(), Style.BAD),
                        Cell.of(error.at() + " " + error.kind().json() + ": " + error.message())));
        return table;
    }

    private static String text(String field, JsonNode value) {
        if (field.equals("times")) {
            return value.properties().stream()
                    .map(time -> time.getKey() + " " + time.getValue().asText())
                    .collect(Collectors.joining(", "));
        }
        return value.isTextual() ? value.asText() : value.toString();
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isNull()
                || value.equals(BooleanNode.FALSE)
                || (value.isTextual() ? value.asText().isEmpty() : value.isContainerNode() && value.isEmpty());
    }

    static Cell status(JobStatus status) {
        Style style =
                switch (status) {
                    case WAITING -> Style.PLAIN;
                    case SCHEDULED, RUNNING -> Style.BUSY;
                    case STUCK -> Style.WARNING;
                    case SUCCESS -> Style.GOOD;
                    case FAILED -> Style.BAD;
                    case CANCELLED -> Style.FAINT;
                };
        return Cell.of(status.json(), style);
    }

    /** Returns the details of a job that are worth knowing beside its status. */
    static String detail(Job job) {
        String detail =
                switch (job.status()) {
                    case WAITING ->
                        Stream.of(
                                        JobView.due(job).map(time -> "due " + time),
                                        job.after().map(JobText::awaited))
                                .flatMap(Optional::stream)
                                .collect(Collectors.joining(", "));
                    case STUCK ->
                        "retry at " + job.scheduledTime()
                                + lastError(job).map(error -> ": " + error).orElse("");
                    case SCHEDULED, RUNNING ->
                        job.progress()
                                .map(progress -> progress.percent() + "% "
                                        + progress.message().orElse(""))
                                .orElseGet(() -> job.lock()
                                        .map(lock -> "on " + lock.worker())
                                        .orElse(""));
                    case SUCCESS -> job.result().map(Object::toString).orElse("");
                    case FAILED, CANCELLED -> lastError(job).orElse("");
                };
        return detail.length() <= LONGEST_DETAIL ? detail : detail.substring(0, LONGEST_DETAIL - 3) + "...";
    }

    private static String awaited(After after) {
        return after.jobs().stream().map(JobId::toString).collect(Collectors.joining(", ", "after ", ""));
    }

    private static String age(Job job, Instant now) {
        Instant created = job.times().get("created");
        if (created == null) {
            return "";
        }
        Duration age = Duration.between(created, now);
        return age.isNegative() ? "0ms" : Durations.format(age);
    }

    private static Optional<String> lastError(Job job) {
        return job.errors().isEmpty()
                ? Optional.empty()
                : Optional.of(job.errors().get(job.errors().size() - 1).message());
    }
}

package io.couchjobs.cli.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Makes a job of each JSON object. Blank lines are skipped; an unknown field is an error and not ignored. */
final class NdjsonReader implements JobReader {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final TextLines lines;
    private final Supplier<JobRequest.Builder> template;
    private final Times times;

    NdjsonReader(TextLines lines, Supplier<JobRequest.Builder> template, Times times) {
        this.lines = lines;
        this.template = template;
        this.times = times;
    }

    @Override
    public Optional<JobLine> next() throws IOException {
        Optional<TextLines.Line> line = lines.next();
        while (line.isPresent()
                && line.get().problem() == null
                && line.get().text().isBlank()) {
            line = lines.next();
        }
        return line.map(this::job);
    }

    private JobLine job(TextLines.Line line) {
        if (line.problem() != null) {
            return JobLine.bad(line.number(), line.problem());
        }
        try {
            return JobLine.good(line.number(), line.text().length(), request(MAPPER.readTree(line.text())));
        } catch (JsonProcessingException notJson) {
            return JobLine.bad(line.number(), "not JSON: " + JobReader.describe(notJson));
        } catch (IllegalArgumentException | InvalidJobDataException notAJob) {
            return JobLine.bad(line.number(), String.valueOf(notAJob.getMessage()));
        }
    }

    private JobRequest request(JsonNode object) {
        if (!object.isObject()) {
            throw new IllegalArgumentException("not a JSON object: " + abbreviated(object));
        }
        JobRequest.Builder job = template.get();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            if (!field.getValue().isNull() || field.getKey().equals("data")) {
                set(job, field.getKey(), field.getValue());
            }
        }
        return job.build();
    }

    private void set(JobRequest.Builder job, String field, JsonNode value) {
        switch (field) {
            case "data" -> job.data(value);
            case "scheduledTime" -> job.scheduledTime(times.parse(value));
            case "id" -> job.id(text(field, value));
            case "group" -> job.group(text(field, value));
            case "class" -> job.jobClass(text(field, value));
            case "origin" -> job.origin(text(field, value));
            case "correlationId" -> job.correlationId(text(field, value));
            case "tracker" -> job.tracker(text(field, value));
            case "site" -> job.site(text(field, value));
            case "priority" -> job.priority(number(field, value));
            case "maxRetries" -> job.maxRetries(number(field, value));
            case "tags" -> value.forEach(tag -> job.tag(text("tags", tag)));
            default -> throw new IllegalArgumentException("unknown field: " + field);
        }
    }

    private static String text(String field, JsonNode value) {
        if (!value.isTextual()) {
            throw new IllegalArgumentException(field + " must be a string: " + abbreviated(value));
        }
        return value.asText();
    }

    private static int number(String field, JsonNode value) {
        if (!value.isInt()) {
            throw new IllegalArgumentException(field + " must be an integer: " + abbreviated(value));
        }
        return value.asInt();
    }

    private static String abbreviated(JsonNode value) {
        String json = value.toString();
        return json.length() <= 60 ? json : json.substring(0, 60) + "...";
    }
}

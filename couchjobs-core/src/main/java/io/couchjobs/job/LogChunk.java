package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.DocIds;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Some lines of a job's log, as one document that is written once and never changed: {@code log:TYPE:ID:FENCE:NUMBER}, with
 * numbers of fixed width, so that the ids of a job's chunks are in the order of its lines. Immutable and thread-safe.
 *
 * @param job the job
 * @param number which chunk of that claim, 1 for the first
 * @param lines the lines, oldest first
 * @param dropped how many lines before these were dropped because they came faster than they could be written
 */
public record LogChunk(JobId job, long number, List<Line> lines, long dropped) {
    private static final Pattern ID = Pattern.compile("log:([^:]+):(.+):(\\d{16}):(\\d{8})", Pattern.DOTALL);
    private static final String AT = "at";
    private static final String TEXT = "text";

    /**
     * Copies.
     *
     * @param job the job
     * @param number which chunk of that claim
     * @param lines the lines, at least one
     * @param dropped how many were dropped before these
     */
    public LogChunk {
        lines = List.copyOf(lines);
    }

    /**
     * Reads a chunk out of its document.
     *
     * @param document the document
     * @return the chunk; empty when the document is none
     */
    public static Optional<LogChunk> of(JsonNode document) {
        Matcher id = ID.matcher(document.path("_id").asText());
        Optional<JobId> job = jobOf(document.path("_id").asText());
        if (job.isEmpty() || !id.matches() || document.path("lines").isEmpty()) {
            return Optional.empty();
        }
        List<Line> lines = new ArrayList<>();
        for (JsonNode line : document.path("lines")) {
            lines.add(new Line(
                    Long.parseLong(id.group(3)),
                    document.path("attempt").asInt(),
                    Instant.ofEpochMilli(line.path(AT).asLong()),
                    line.path(TEXT).asText()));
        }
        return Optional.of(new LogChunk(
                job.get(),
                Long.parseLong(id.group(4)),
                lines,
                document.path("dropped").asLong()));
    }

    /**
     * Tells whose log a document belongs to.
     *
     * @param docId the document's {@code _id}
     * @return the job; empty when the document is no log chunk
     */
    public static Optional<JobId> jobOf(String docId) {
        Matcher id = ID.matcher(docId);
        return id.matches() ? JobId.fromDocId(DocIds.JOB + id.group(1) + ":" + id.group(2)) : Optional.empty();
    }

    /** {@return the document's {@code _id}} */
    public String docId() {
        return String.format(
                "%s%s:%s:%016d:%08d",
                DocIds.LOG, job.type(), job.id(), lines.get(0).fence(), number);
    }

    /**
     * A line of a job's log. Immutable and thread-safe.
     *
     * @param fence which claim of the job wrote it
     * @param attempt which run of the job wrote it, 1 for the first
     * @param at when, by the server's clock
     * @param text the line
     */
    public record Line(long fence, int attempt, Instant at, String text) {}
}

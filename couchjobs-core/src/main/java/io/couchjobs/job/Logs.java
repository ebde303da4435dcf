package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.DocIds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The logs of a queue's jobs. A log can be read while it grows. Thread-safe. {@code JobQueue} says what all methods throw.
 */
public interface Logs {
    /**
     * Reads the log of a job.
     *
     * @param job the job
     * @return its lines in chunks, oldest first, read in pages while the stream is consumed; none when nothing was logged
     */
    Stream<Chunk> read(JobId job);

    /**
     * {@return the same as {@link #read(JobId)}, by type and id}
     *
     * @param type the job's type
     * @param id its id
     */
    default Stream<Chunk> read(String type, String id) {
        return read(new JobId(type, id));
    }

    /**
     * Reads the log of a job, and then what is added to it.
     *
     * @param job the job
     * @param listener called for each chunk once, in order within a claim, on a thread of its own; may take its time; what it
     *     throws is logged
     * @return ends the following
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    Following follow(JobId job, Consumer<Chunk> listener);

    /**
     * {@return the same as {@link #follow(JobId, Consumer)}, by type and id}
     *
     * @param type the job's type
     * @param id its id
     * @param listener called for each chunk once, in order within a claim, on a thread of its own; may take its time; what it
     *     throws is logged
     */
    default Following follow(String type, String id, Consumer<Chunk> listener) {
        return follow(new JobId(type, id), listener);
    }

    /** Follows a log until it is closed; the lines that were not told by then never are. Thread-safe. */
    interface Following extends Listening {
        /**
         * Tells the listener all that is in the log by now, and ends the following. The lines of a job are in its log before its
         * end is, so a caller that saw the end gets the whole log.
         *
         * @param longest how long to wait for the listener and the database at most
         * @return whether all was told
         * @throws InterruptedException when interrupted while waiting
         */
        boolean finish(Duration longest) throws InterruptedException;
    }

    /**
     * Some lines of a job's log, as one document that is written once and never changed: {@code log:TYPE:ID:FENCE:NUMBER}, with
     * numbers of fixed width, so that the ids of a job's chunks are in the order of its lines. Immutable and thread-safe.
     *
     * @param job the job
     * @param number which chunk of that claim, 1 for the first
     * @param lines the lines, oldest first
     * @param dropped how many lines before these were dropped because they came faster than they could be written
     */
    record Chunk(JobId job, long number, List<Line> lines, long dropped) {
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
        public Chunk {
            lines = List.copyOf(lines);
        }

        /**
         * Reads a chunk out of its document.
         *
         * @param document the document
         * @return the chunk; empty when the document is none
         */
        public static Optional<Chunk> of(JsonNode document) {
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
            return Optional.of(new Chunk(
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
                    Locale.ROOT,
                    "%s%s:%s:%016d:%08d",
                    DocIds.LOG,
                    job.type(),
                    job.id(),
                    lines.get(0).fence(),
                    number);
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
}

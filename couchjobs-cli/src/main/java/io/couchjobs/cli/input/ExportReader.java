package io.couchjobs.cli.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.couchjobs.cli.schema.DocumentSchemas;
import io.couchjobs.dashboard.view.JobOrder;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.MalformedDocumentException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads exported jobs one by one, in constant memory. A bad line is a value and does not stop the reading. Not thread-safe. */
public final class ExportReader {
    private final TextLines lines;

    /**
     * Starts reading.
     *
     * @param in the export; the caller closes it
     */
    public ExportReader(InputStream in) {
        this.lines = new TextLines(in);
    }

    /**
     * One line. Immutable and thread-safe.
     *
     * @param number the line, from 1
     * @param length about how many characters it has
     * @param copy the job, or null
     * @param problem what is wrong with the line, or null
     */
    public record Line(
            long number,
            int length,
            @Nullable Job copy,
            @Nullable String problem) {
        /** {@return the job; empty for a bad line} */
        public Optional<Job> job() {
            return Optional.ofNullable(copy);
        }
    }

    /**
     * Reads on; blank lines are skipped.
     *
     * @return the next line's job or problem; empty at the end
     * @throws IOException when the file cannot be read further
     */
    public Optional<Line> next() throws IOException {
        Optional<TextLines.Line> line = lines.next();
        while (line.isPresent()
                && line.get().problem() == null
                && line.get().text().isBlank()) {
            line = lines.next();
        }
        return line.map(ExportReader::read);
    }

    private static Line read(TextLines.Line line) {
        if (line.problem() != null) {
            return new Line(line.number(), 0, null, line.problem());
        }
        JsonNode document = MissingNode.getInstance();
        try {
            document = InputJson.MAPPER.readTree(line.text());
            Job job = job(document);
            return new Line(line.number(), line.text().length(), job, null);
        } catch (JsonProcessingException notJson) {
            return new Line(line.number(), 0, null, "not JSON: " + JobReader.describe(notJson));
        } catch (MalformedDocumentException malformed) {
            String id = document.path("_id").asText();
            String problem = DocumentSchemas.problem("job", document)
                    .map(found -> "document " + id + " is not a job: " + found)
                    .orElseGet(() -> String.valueOf(malformed.getMessage()));
            return new Line(line.number(), 0, null, problem);
        } catch (InvalidJobDataException | IllegalArgumentException notAJob) {
            return new Line(line.number(), 0, null, String.valueOf(notAJob.getMessage()));
        }
    }

    private static Job job(JsonNode document) {
        if (!document.isObject() || !document.path("_id").asText().startsWith("job:")) {
            throw new IllegalArgumentException("not an exported job: an object with the _id \"job:TYPE:ID\" is wanted"
                    + (document.has("_id") ? ", and its _id is " + JobOrder.shortened(document.path("_id")) : "")
                    + " (to add jobs, use enqueue --from)");
        }
        Job job = Job.parse(document);
        document.forEach(JobData::tree);
        return job;
    }
}

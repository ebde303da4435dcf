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

/**
 * Reads exported jobs one by one, in constant memory. A bad line is returned as a value and does not stop the reading. Not
 * thread-safe.
 */
public final class ExportReader {
    private final TextLines lines;

    /**
     * Starts reading.
     *
     * @param in the export; the caller closes it
     */
    public ExportReader(InputStream in) {
        this.lines = TextLines.ofJson(in);
    }

    /**
     * Reads the next line that is not blank.
     *
     * @return the job or the problem of the line; empty at the end
     * @throws IOException when the file cannot be read further
     */
    public Optional<JobLine<Job>> next() throws IOException {
        return lines.nextWritten().map(ExportReader::read);
    }

    private static JobLine<Job> read(TextLines.Line line) {
        if (line.problem() != null) {
            return JobLine.bad(line.number(), line.problem());
        }
        JsonNode document = MissingNode.getInstance();
        try {
            document = InputJson.MAPPER.readTree(line.text());
            Job job = job(document);
            return JobLine.good(line.number(), line.text().length(), job);
        } catch (JsonProcessingException notJson) {
            return JobLine.bad(line.number(), "not JSON: " + JobReader.describe(notJson));
        } catch (MalformedDocumentException malformed) {
            String id = document.path("_id").asText();
            String problem = DocumentSchemas.problem("job", document)
                    .map(found -> "document " + id + " is not a job: " + found)
                    .orElseGet(() -> String.valueOf(malformed.getMessage()));
            return JobLine.bad(line.number(), problem);
        } catch (InvalidJobDataException | IllegalArgumentException notAJob) {
            return JobLine.bad(line.number(), String.valueOf(notAJob.getMessage()));
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

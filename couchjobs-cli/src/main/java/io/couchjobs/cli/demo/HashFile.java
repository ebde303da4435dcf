package io.couchjobs.cli.demo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.output.FileProblem;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Computes the SHA-256 of the file that a job names. Fails the job for good when the file cannot be read, because a retry would
 * not help.
 */
public final class HashFile implements JobHandler<ObjectNode> {
    /** Creates a handler, which has no state. */
    public HashFile() {}

    @Override
    public Object handle(ObjectNode data, JobContext context) throws InterruptedException {
        String path = data.path("path").asText();
        try {
            return Sha256.of(Path.of(path));
        } catch (IOException unreadable) {
            throw new PermanentJobException("cannot read " + FileProblem.of(Path.of(path), unreadable));
        } catch (InvalidPathException notAPath) {
            throw new PermanentJobException("not a file name: " + path);
        }
    }
}

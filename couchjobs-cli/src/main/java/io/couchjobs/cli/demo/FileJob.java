package io.couchjobs.cli.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A file and its job. The id of the job is the file's name below the folder if that can be an id, else a UUID that depends on the
 * name.
 *
 * @param file the file, absolute
 * @param id the job
 */
record FileJob(Path file, JobId id) {
    static final String TYPE = "sha256";

    static FileJob of(Path root, Path file) {
        return new FileJob(file, id(root.relativize(file).toString()));
    }

    JobRequest request() {
        ObjectNode data = JsonNodeFactory.instance.objectNode().put("path", file.toString());
        return JobRequest.builder(TYPE).id(id.id()).data(data).build();
    }

    private static JobId id(String name) {
        try {
            return new JobId(TYPE, name);
        } catch (IllegalArgumentException tooLongOrWithControlCharacters) {
            return new JobId(
                    TYPE,
                    UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8))
                            .toString());
        }
    }
}

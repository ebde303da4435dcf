package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Random;

/** Makes the jobs that are added, and raw documents that look the same. Their text cannot be compressed. Thread-safe. */
final class Payload {
    static final String TYPE = "bench";
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private final Map<String, String> data;
    private final ObjectNode template;

    private Payload(Map<String, String> data, ObjectNode template) {
        this.data = data;
        this.template = template;
    }

    /** Creates a payload for jobs whose documents have the given number of bytes, or as few as a job needs. */
    static Payload ofSize(int bytes, JobQueue scratch) {
        ObjectNode empty = document(scratch, Map.of("text", ""));
        int length = empty.toString().getBytes(StandardCharsets.UTF_8).length;
        Map<String, String> data = Map.of("text", text(Math.max(0, bytes - length)));
        return new Payload(data, document(scratch, data));
    }

    JobRequest job() {
        return JobRequest.of(TYPE, data);
    }

    JobRequest job(Instant time) {
        return JobRequest.builder(TYPE).data(data).scheduledTime(time).build();
    }

    /** Returns a document that looks like that of such a job, but that no queue knows. */
    ObjectNode document() {
        return template.deepCopy().put("_id", JobId.random(TYPE).docId());
    }

    private static ObjectNode document(JobQueue scratch, Map<String, String> data) {
        Job job = scratch.insert(JobRequest.of(TYPE, data));
        ObjectNode document = job.withInlineData().toDocument();
        document.remove("_rev");
        return document;
    }

    private static String text(int length) {
        Random random = new Random(42);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }
}

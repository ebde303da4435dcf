package io.couchjobs.testing;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Map;

/** Jobs for tests. */
public final class Jobs {
    public static final Instant NOW = Instant.ofEpochMilli(1_700_000_000_000L);
    /** As a number of milliseconds, not of seconds; long past. */
    private static final long PAST = 1_500_000_000_000L;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Jobs() {}

    public static ObjectNode json(String json) {
        try {
            return (ObjectNode) MAPPER.readTree(json.replace('\'', '"'));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A time at which jobs are due since long; the greater the number, the later. */
    public static Instant past(long millis) {
        return Instant.ofEpochMilli(PAST + millis);
    }

    /** Objects in each other. */
    public static ObjectNode nested(int levels) {
        ObjectNode outermost = MAPPER.createObjectNode();
        ObjectNode innermost = outermost;
        for (int i = 1; i < levels; i++) {
            innermost = innermost.putObject("x");
        }
        return outermost;
    }

    /** A job with the given fields beside its _id. */
    public static Job job(String fields) {
        ObjectNode document = json("{" + fields + "}");
        document.put("_id", "job:email:42");
        return Job.parse(document);
    }

    /** A job of a status, with what such a job has, and a field that couchjobs does not know. */
    public static Job inStatus(JobStatus status) {
        String lock = status.isLocked() ? ",'lock':{'token':'t1','worker':'w1','since':1}" : "";
        return job("'status':'" + status.json()
                + "','_rev':'3-abc','data':{'n':1},'scheduledTime':1500000000000,'attempt':1,"
                + "'fence':7,'times':{'created':5,'started':1699999999000},'mine':{'x':[1]}" + lock);
    }

    /** A request for a job at a time. */
    public static JobRequest request(Instant time) {
        return JobRequest.builder("email").data(Map.of()).scheduledTime(time).build();
    }
}

package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.couch.InProcess;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a request is about to do to a job.
 *
 * @param fence of the run that it ends, or withdraws
 * @param token of the owner that it names; empty for none
 * @param base the revision that it changes; empty for none
 * @param isAsked whether its owner is asked for another run
 * @param isToStop whether its owner is asked to cancel it
 */
record Sent(JobId job, What what, long fence, String token, String base, boolean isAsked, boolean isToStop) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What it makes of the job. */
    enum What {
        /** It has no owner any more, because that is silent. */
        EXPIRY,
        /** It has ended. */
        END,
        /** It has an owner, perhaps a new one. */
        OWNED,
        /** A claim of it made no owner. */
        WITHDRAWAL,
        /** Anything else. */
        OTHER
    }

    /** {@return what is written about jobs} */
    static List<Sent> in(InProcess.Request request) {
        String path = request.uri().getPath();
        boolean bulk = request.method().equals("POST") && path.endsWith("/_bulk_docs");
        boolean put = request.method().equals("PUT") && path.contains("/" + DocIds.JOB);
        List<Sent> sent = new ArrayList<>();
        if (bulk || put) {
            JsonNode body = parsed(request.body());
            (bulk ? body.path("docs") : MAPPER.createArrayNode().add(body))
                    .forEach(doc -> of(doc).ifPresent(sent::add));
        }
        return sent;
    }

    private static JsonNode parsed(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<Sent> of(JsonNode doc) {
        return JobId.fromDocId(doc.path("_id").asText())
                .map(id -> new Sent(
                        id,
                        what(doc),
                        doc.path("fence").asLong(),
                        doc.path("lock").path("token").asText(),
                        doc.path("_rev").asText(),
                        doc.has("resubmit"),
                        doc.path("cancelRequested").asBoolean()));
    }

    private static What what(JsonNode doc) {
        if (doc.has("lock")) {
            return doc.path("lock").has("withdrawn") ? What.WITHDRAWAL : What.OWNED;
        }
        Optional<JobStatus> status = JobStatus.fromJson(doc.path("status").asText());
        if (status.filter(any -> any.phase() == JobPhase.FINISHED).isPresent()) {
            return What.END;
        }
        return isExpired(doc) ? What.EXPIRY : What.OTHER;
    }

    /** Whether a job was last written because its owner was found dead. */
    static boolean isExpired(JsonNode doc) {
        long last = 0;
        for (JsonNode time : doc.path("times")) {
            last = Math.max(last, time.asLong());
        }
        return doc.path("times").path("expired").asLong(-1) == last;
    }
}

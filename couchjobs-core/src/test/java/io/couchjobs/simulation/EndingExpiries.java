package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.InProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** What must not be: whoever finds an owner dead ends its job, where the next claim should. */
final class EndingExpiries {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private EndingExpiries() {}

    /** {@return the request, or one after which jobs that would wait to be ended have ended} */
    static InProcess.Request in(InProcess.Request request) {
        if (Sent.in(request).stream().noneMatch(sent -> sent.what() == Sent.What.EXPIRY)) {
            return request;
        }
        try {
            JsonNode body = MAPPER.readTree(request.body());
            if (body.has("docs")) {
                body.path("docs").forEach(EndingExpiries::end);
            } else {
                end(body);
            }
            return new InProcess.Request(
                    request.method(),
                    request.uri(),
                    Map.copyOf(request.headers()),
                    MAPPER.writeValueAsBytes(body),
                    request.longestSilence(),
                    request.forFeed());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void end(JsonNode doc) {
        if (Sent.isExpired(doc) && doc.has("endAs") && !doc.has("lock") && doc instanceof ObjectNode job) {
            job.set("status", job.remove("endAs"));
            job.withObject("/times").set("finished", doc.path("times").path("expired"));
        }
    }
}

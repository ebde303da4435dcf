package io.couchjobs.simulation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.job.JobId;
import java.io.UncheckedIOException;

/** What a node answered to a write. */
record Answer(int status, String body) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Whether fewer copies than a quorum have taken something. */
    boolean isUnconfirmed() {
        return status == 202 || body.contains("\"accepted\":true");
    }

    /** Whether somebody else was faster with a job. */
    boolean refuses(JobId id) {
        return status == 409 || conflicts(id);
    }

    private boolean conflicts(JobId id) {
        try {
            for (JsonNode one : MAPPER.readTree(body)) {
                if (one.path("id").asText().equals(id.docId())) {
                    return one.path("error").asText().equals("conflict");
                }
            }
            return false;
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether somebody else was faster with any of them. */
    boolean isConflict() {
        return status == 409 || body.contains("\"conflict\"");
    }
}

package io.couchjobs.couch;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** What is known about a request that failed. Status 0: there was no usable answer. */
record Failure(
        int status,
        String error,
        String reason,
        String method,
        String path,
        @Nullable String requestId,
        boolean outcomeUnknown)
        implements Serializable {

    String message() {
        return method + " " + path + ": " + (status > 0 ? status + " " : "") + error
                + (reason.isEmpty() ? "" : ": " + reason)
                + (requestId == null ? "" : " (request " + requestId + ")");
    }
}

package io.couchjobs.dashboard;

import io.couchjobs.couch.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code Authorization} headers that are accepted. Immutable and thread-safe. */
final class Credentials {
    private final List<Secret> headers;

    private Credentials(List<Secret> headers) {
        this.headers = headers;
    }

    static Credentials of(@Nullable String user, @Nullable Secret password, @Nullable Secret token) {
        List<Secret> headers = new ArrayList<>();
        if (user != null && password != null) {
            byte[] pair = (user + ":" + password.reveal()).getBytes(StandardCharsets.UTF_8);
            headers.add(Secret.of("Basic " + Base64.getEncoder().encodeToString(pair)));
        }
        if (token != null) {
            headers.add(Secret.of("Bearer " + token.reveal()));
        }
        return new Credentials(List.copyOf(headers));
    }

    boolean areAsked() {
        return !headers.isEmpty();
    }

    /** Takes as long for a nearly correct password as for any other. */
    boolean letIn(String header) {
        byte[] given = header.getBytes(StandardCharsets.UTF_8);
        boolean found = false;
        for (Secret wanted : headers) {
            found |= MessageDigest.isEqual(wanted.reveal().getBytes(StandardCharsets.UTF_8), given);
        }
        return found;
    }
}

package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.Secret;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates with a token that another program renews. Several threads may read the token at the same time without harm.
 * If the token cannot be read again (its file may be half written), the previous token stays in use.
 */
final class BearerAuthenticator implements Authenticator {

    private static final Logger LOG = LoggerFactory.getLogger(BearerAuthenticator.class);

    private final Supplier<String> source;
    private volatile @Nullable Secret header;
    private volatile boolean unreadable;

    BearerAuthenticator(Supplier<String> source) {
        this.source = source;
    }

    @Override
    public void authenticate(HttpRequest request) {
        Secret current = header;
        request.setHeader(HttpHeaders.AUTHORIZATION, current == null ? read() : current.reveal());
    }

    /** Includes 400: CouchDB answers 400, not 401, if it does not have the key with which the token was signed. */
    @Override
    public boolean mayBeRefusal(int status) {
        return status == 401 || status == 400;
    }

    @Override
    public boolean renew(HttpRequest refused) {
        Header sent = refused.getFirstHeader(HttpHeaders.AUTHORIZATION);
        return sent == null || !readAgain().equals(sent.getValue());
    }

    private String readAgain() {
        Secret before = header;
        try {
            String fresh = read();
            unreadable = false;
            return fresh;
        } catch (RuntimeException e) {
            if (before == null) {
                throw e;
            }
            if (!unreadable) { // not its message, which may contain the token
                LOG.warn("the bearer token cannot be read again, the previous one stays in use: {}", e.getClass());
            }
            unreadable = true;
            return before.reveal();
        }
    }

    private String read() {
        String token = Objects.requireNonNull(source.get(), "the token's supplier gave null")
                .strip();
        if (!token.matches("[!-~]+")) {
            throw new IllegalStateException("the bearer token is empty or has characters that no token has");
        }
        String fresh = "Bearer " + token;
        header = Secret.of(fresh);
        return fresh;
    }
}

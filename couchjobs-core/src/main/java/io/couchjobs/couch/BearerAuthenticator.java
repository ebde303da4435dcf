package io.couchjobs.couch;

import java.util.Objects;
import java.util.function.Supplier;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** A token that somebody else renews. Two threads that read it again at the same time do no harm. */
final class BearerAuthenticator implements Authenticator {

    private final Supplier<String> source;
    private volatile @Nullable Secret header;

    BearerAuthenticator(Supplier<String> source) {
        this.source = source;
    }

    @Override
    public void authenticate(HttpRequest request) {
        Secret current = header;
        request.setHeader(HttpHeaders.AUTHORIZATION, current == null ? read() : current.reveal());
    }

    @Override
    public boolean renew(HttpRequest refused) {
        Header sent = refused.getFirstHeader(HttpHeaders.AUTHORIZATION);
        return sent == null || !read().equals(sent.getValue());
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

package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.couch.config.Secret;
import java.net.HttpCookie;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates with the cookie of a session. The cookie is fetched before the first request, and again when it is about to
 * expire or was refused. A newer cookie from the server replaces it. Only one thread logs in at a time.
 */
final class SessionAuthenticator implements Authenticator {
    private static final Logger log = LoggerFactory.getLogger(SessionAuthenticator.class);
    private static final String NAME = "AuthSession";
    /** The lifetime of a cookie if the server does not say: CouchDB's default timeout. */
    private static final Duration USUAL_LIFE = Duration.ofMinutes(10);

    /** The pause after an early login that failed. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private record Cookie(Secret header, long renewAt, long endsAt) {}

    private final Auth.Session session;
    private final BiConsumer<String, Secret> login;
    private final LongSupplier nanos;
    private final ReentrantLock renewing = new ReentrantLock();
    private volatile @Nullable Cookie cookie;
    private volatile @Nullable CouchUnreachableException lastSilence;

    /** @param login logs in; {@link #observe} then gets the answer with the cookie */
    SessionAuthenticator(Auth.Session session, BiConsumer<String, Secret> login, LongSupplier nanos) {
        this.session = session;
        this.login = login;
        this.nanos = nanos;
    }

    @Override
    public void authenticate(HttpRequest request) {
        Cookie current = cookie;
        long now = nanos.getAsLong();
        if (current == null || now - current.endsAt() >= 0) {
            replace(current == null ? null : current.header());
        } else if (now - current.renewAt() >= 0) {
            renewAhead(current);
        }
        current = cookie;
        if (current != null) {
            request.setHeader(HttpHeaders.COOKIE, current.header().reveal());
        }
    }

    /** Logs in while the present cookie is still valid. Other requests do not wait, and no request fails if the login fails. */
    private void renewAhead(Cookie current) {
        if (!renewing.tryLock()) {
            return;
        }
        try {
            if (current.equals(cookie)) {
                login.accept(session.user(), session.password());
            }
        } catch (CouchException trouble) {
            log.debug("cannot log in ahead of time, trying again soon: {}", trouble.toString());
            cookie = new Cookie(current.header(), nanos.getAsLong() + AGAIN.toNanos(), current.endsAt());
        } finally {
            renewing.unlock();
        }
    }

    @Override
    public boolean renew(HttpRequest refused) {
        Header sent = refused.getFirstHeader(HttpHeaders.COOKIE);
        replace(sent == null ? null : Secret.of(sent.getValue()));
        return cookie != null;
    }

    @Override
    public void observe(HttpResponse answer) {
        Arrays.stream(answer.getHeaders(HttpHeaders.SET_COOKIE))
                .flatMap(header -> sessionCookie(header.getValue()).stream())
                .forEach(fresh -> cookie = fresh);
    }

    /** Replaces the cookie, unless another thread has replaced it meanwhile. */
    private void replace(@Nullable Secret old) {
        CouchUnreachableException before = lastSilence;
        renewing.lock();
        try {
            Cookie current = cookie;
            if (current == null || Objects.equals(current.header(), old)) {
                logIn(before);
            }
        } finally {
            renewing.unlock();
        }
    }

    /**
     * Logs in. If another thread's login timed out while this thread waited, this thread fails as well, instead of waiting
     * for another timeout.
     */
    private void logIn(@Nullable CouchUnreachableException before) {
        CouchUnreachableException silence = lastSilence;
        if (silence != null && silence != before) {
            throw silence;
        }
        try {
            login.accept(session.user(), session.password());
        } catch (CouchUnreachableException e) {
            if (e.getCause() instanceof SocketTimeoutException) {
                lastSilence = e;
            }
            throw e;
        }
    }

    private Optional<Cookie> sessionCookie(String setCookie) {
        return parsed(setCookie).map(given -> {
            Duration life = given.getMaxAge() > 0 ? Duration.ofSeconds(given.getMaxAge()) : USUAL_LIFE;
            long now = nanos.getAsLong();
            Secret header = Secret.of(NAME + "=" + given.getValue());
            return new Cookie(header, now + life.toNanos() / 5 * 4, now + life.toNanos());
        });
    }

    private static Optional<HttpCookie> parsed(String setCookie) {
        try {
            return HttpCookie.parse(setCookie).stream()
                    .filter(given ->
                            given.getName().equals(NAME) && !given.getValue().isEmpty())
                    .findFirst();
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // a malformed cookie does not come from CouchDB
        }
    }
}

package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;

/** Adds credentials to requests. Thread-safe. */
interface Authenticator {

    /** Adds the credentials to a request that is about to be sent. */
    void authenticate(HttpRequest request);

    /** Returns whether this status may mean that the credentials were refused and the request was not carried out. */
    default boolean mayBeRefusal(int status) {
        return status == 401;
    }

    /** Tries to get other credentials after the refusal of a request; returns false if there are none. */
    default boolean renew(HttpRequest refused) {
        return false;
    }

    /** Receives each answer, which may contain new credentials. */
    default void observe(HttpResponse answer) {}

    static Authenticator of(Auth auth, BiConsumer<String, Secret> login, LongSupplier nanos) {
        if (auth instanceof Auth.Basic basic) {
            return basic(basic);
        } else if (auth instanceof Auth.Session session) {
            return new SessionAuthenticator(session, login, nanos);
        }
        return request -> {};
    }

    static Authenticator basic(Auth.Basic basic) {
        String pair = basic.user() + ":" + basic.password().reveal();
        Secret header = Secret.of("Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
        return request -> request.setHeader(HttpHeaders.AUTHORIZATION, header.reveal());
    }
}

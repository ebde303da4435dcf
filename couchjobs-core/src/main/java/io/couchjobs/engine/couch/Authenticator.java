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

/** Puts the credentials into requests. Thread-safe. */
interface Authenticator {

    /** Called before each request is sent. */
    void authenticate(HttpRequest request);

    /** Whether an answer with this status may mean that the credentials were refused, and nothing was done. */
    default boolean mayBeRefusal(int status) {
        return status == 401;
    }

    /** Tries to get better credentials after such an answer to this request. False when there are none. */
    default boolean renew(HttpRequest refused) {
        return false;
    }

    /** Called with each answer: the server may hand out new credentials. */
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

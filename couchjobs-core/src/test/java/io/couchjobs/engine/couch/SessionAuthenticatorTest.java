package io.couchjobs.engine.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.Secret;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.junit.jupiter.api.Test;

class SessionAuthenticatorTest {

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger logins = new AtomicInteger();
    private final SessionAuthenticator authenticator =
            new SessionAuthenticator(new Auth.Session("me", Secret.of("pw")), (user, password) -> logIn(), now::get);
    private String attributes = "";
    private boolean isAway;
    private Callable<Void> whileLoggingIn = () -> null;

    @Test
    void a_cookie_is_replaced_before_it_runs_out() {
        attributes = "; Max-Age=100";
        assertThat(cookieAt(Duration.ZERO)).isEqualTo("AuthSession=1");
        assertThat(cookieAt(Duration.ofSeconds(79))).isEqualTo("AuthSession=1");
        assertThat(cookieAt(Duration.ofSeconds(81))).isEqualTo("AuthSession=2");
    }

    @Test
    void a_cookie_that_is_good_still_is_used_on_when_the_server_takes_no_login_ahead_of_time() {
        attributes = "; Max-Age=100";
        assertThat(cookieAt(Duration.ZERO)).isEqualTo("AuthSession=1");
        isAway = true;
        assertThat(cookieAt(Duration.ofSeconds(81))).isEqualTo("AuthSession=1");
        assertThatThrownBy(() -> cookieAt(Duration.ofSeconds(101))).isInstanceOf(CouchException.class);
        isAway = false;
        assertThat(cookieAt(Duration.ofSeconds(102))).isEqualTo("AuthSession=2");
    }

    @Test
    void nobody_waits_for_a_login_ahead_of_time() throws Exception {
        attributes = "; Max-Age=100";
        cookieAt(Duration.ZERO);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        whileLoggingIn = () -> {
            begun.countDown();
            answered.await();
            return null;
        };
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> cookieAt(Duration.ofSeconds(81)));
        begun.await();
        CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> cookieAt(Duration.ofSeconds(81)));
        assertThat(other.get(1, TimeUnit.MINUTES)).isEqualTo("AuthSession=1");
        answered.countDown();
        assertThat(first.get(1, TimeUnit.MINUTES)).isEqualTo("AuthSession=2");
    }

    @Test
    void a_cookie_of_unknown_life_is_taken_to_live_as_long_as_couchdbs() {
        assertThat(cookieAt(Duration.ofMinutes(7))).isEqualTo("AuthSession=1");
        assertThat(cookieAt(Duration.ofMinutes(14))).isEqualTo("AuthSession=1");
        assertThat(cookieAt(Duration.ofMinutes(16))).isEqualTo("AuthSession=2");
    }

    @Test
    void a_cookie_that_another_thread_renewed_meanwhile_is_not_renewed_again() {
        BasicHttpRequest refused = new BasicHttpRequest("GET", "/");
        authenticator.authenticate(refused);

        assertThat(authenticator.renew(refused)).isTrue();
        assertThat(authenticator.renew(refused)).isTrue();

        assertThat(logins).hasValue(2);
    }

    @Test
    void other_cookies_are_none_of_its_business() {
        cookieAt(Duration.ZERO);
        BasicHttpResponse answer = new BasicHttpResponse(200);
        answer.addHeader("Set-Cookie", "proxy=1");
        answer.addHeader("Set-Cookie", "=;;");
        answer.addHeader("Set-Cookie", "AuthSession=; Max-Age=0");
        authenticator.observe(answer);

        assertThat(cookieAt(Duration.ZERO)).isEqualTo("AuthSession=1");
    }

    private String cookieAt(Duration time) {
        now.set(time.toNanos());
        BasicHttpRequest request = new BasicHttpRequest("GET", "/");
        authenticator.authenticate(request);
        return request.getFirstHeader("Cookie").getValue();
    }

    private void logIn() {
        if (isAway) {
            throw new CouchException(
                    new CouchException.Failure(
                            503,
                            "away",
                            "",
                            new CouchException.Failure.Request("POST", "/_session", null, null),
                            false),
                    null);
        }
        try {
            whileLoggingIn.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        BasicHttpResponse answer = new BasicHttpResponse(200);
        answer.addHeader("Set-Cookie", "AuthSession=" + logins.incrementAndGet() + attributes);
        authenticator.observe(answer);
    }
}

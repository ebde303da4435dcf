package io.couchjobs.engine.couch;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.couch.config.Secret;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.utils.DateUtils;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHeaders;

/** One server, with its address, credentials and clock. Thread-safe. */
final class Node {

    private static final Call UP = Call.get(UrlPath.ROOT.segment("_up"));
    private static final Duration PROBE = Duration.ofSeconds(5);
    /** At most half of a usual lease, so that a renewal that waits for a login leaves time for another attempt. */
    private static final Duration LOGIN = Duration.ofSeconds(15);

    /** The statuses with which {@code _up} reports (with 404) that a node must not be used. */
    private static final Set<String> NOT_TO_BE_USED = Set.of("maintenance_mode", "nolb");

    private final URI url;
    private final Requests requests;
    private final Transport transport;
    private final Authenticator authenticator;
    private final ClockSkew skew;
    private final Duration loginPatience;

    /** @param tokens the authenticators that the nodes of a client share, because a token is valid for all of them */
    Node(URI url, Auth auth, CouchConfig config, ClientParts parts, Map<Auth, BearerAuthenticator> tokens) {
        this.url = url;
        this.requests = new Requests(url, config);
        this.transport = parts.transport();
        this.authenticator = auth instanceof Auth.Bearer bearer
                ? tokens.computeIfAbsent(auth, first -> new BearerAuthenticator(bearer.token()))
                : Authenticator.of(auth, this::login, parts.environment()::nanos);
        this.skew = new ClockSkew(parts.environment()::nanos);
        this.loginPatience = config.responseTimeout().compareTo(LOGIN) < 0 ? config.responseTimeout() : LOGIN;
    }

    ClockSkew clockSkew() {
        return skew;
    }

    /** Sends the request with credentials. If the server refuses them, sends it once more if other credentials are available. */
    Answer send(Call call, Transport.Use use, Duration silence) {
        HttpUriRequestBase request = requests.of(call, silence);
        authenticator.authenticate(request);
        Answer answer = sendOnce(call, request, use);
        if (!hasBetter(request, answer)) {
            return answer;
        }
        answer.close(); // the request was not carried out, so even a write may be sent again
        HttpUriRequestBase again = requests.of(call, silence);
        authenticator.authenticate(again);
        return sendOnce(call, again, use);
    }

    /** Returns whether the credentials were refused, and others are available now. */
    private boolean hasBetter(HttpUriRequestBase sent, Answer answer) {
        try {
            return authenticator.mayBeRefusal(answer.status()) && authenticator.renew(sent);
        } catch (RuntimeException | Error e) {
            answer.close(); // otherwise its connection would leak
            throw e;
        }
    }

    /** Returns whether the server answers and accepts requests. */
    boolean isUp() {
        try (Answer answer = sendOnce(UP, requests.of(UP, PROBE), Transport.Use.REQUEST)) {
            return answer.status() < 500 && !answer.read(it -> NOT_TO_BE_USED.contains(it.statusInBody()));
        } catch (CouchException e) {
            return false;
        }
    }

    private Answer sendOnce(Call call, HttpUriRequestBase request, Transport.Use use) {
        long sent = skew.nanos();
        try {
            ClassicHttpResponse response = transport.send(request, use);
            look(response, sent);
            return new Answer(call, this, response);
        } catch (Transport.Unanswered e) {
            throw CouchUnreachableException.of(
                    call.asRequest(), e.wasSent() && !call.repeatable(), reason(e.trouble()), e.trouble());
        }
    }

    /** Returns a description of the failure. */
    String reason(IOException cause) {
        return Reasons.of(cause, url);
    }

    private void look(ClassicHttpResponse response, long sent) {
        authenticator.observe(response);
        requests.observe(response);
        long received = skew.nanos();
        Optional.ofNullable(response.getFirstHeader(HttpHeaders.DATE))
                .filter(header ->
                        !response.containsHeader(HttpHeaders.AGE)) // otherwise it may be an old answer from a cache
                .map(header -> DateUtils.parseStandardDate(header.getValue()))
                .ifPresent(dated -> skew.observe(sent, received, dated));
    }

    private void login(String user, Secret password) {
        JsonNode body = Json.object().put("name", user).put("password", password.reveal());
        Call call = Call.ask(UrlPath.ROOT.segment("_session"), body);
        try (Answer answer = sendOnce(call, requests.of(call, loginPatience), Transport.Use.LOGIN)) {
            answer.read(Answer::object);
        }
    }

    @Override
    public String toString() {
        return url.toString();
    }
}

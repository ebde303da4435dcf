package io.couchjobs.couch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.utils.DateUtils;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHeaders;

/** Sends requests and tells apart what can go wrong with them. Thread-safe. */
final class Http implements AutoCloseable {

    private static final int UNAUTHORIZED = 401;

    /** Makes something of an answer. */
    @FunctionalInterface
    interface Reader<T> {
        T read(Answer answer) throws IOException;
    }

    private final Requests requests;
    private final CouchConfig config;
    private final Transport transport;
    private final Authenticator authenticator;
    private final Retries retries;
    private final ClockSkew skew;
    private volatile boolean closed;

    Http(CouchConfig config, Means means) {
        this.config = config;
        this.requests = new Requests(config);
        this.transport = means.transport();
        this.authenticator = Authenticator.of(config.auth(), this::login, means.nanos());
        this.retries = means.retries();
        this.skew = new ClockSkew(means.nanos());
    }

    /** Sends the request and reads its answer, whatever its status: the reader asks for success where it wants it. */
    <T> T exchange(Call call, Reader<T> reader) {
        return exchange(call, config.responseTimeout(), reader);
    }

    /** As {@link #exchange(Call, Reader)}, with its own limit to the server's silence. */
    <T> T exchange(Call call, Duration patience, Reader<T> reader) {
        return retries.run(call, () -> {
            try (Answer answer = send(call, false, patience)) {
                return read(answer, reader);
            }
        });
    }

    /** Sends the request and leaves reading and closing the answer to the caller. */
    Answer open(Call call) {
        return retries.run(call, () -> send(call, false, config.responseTimeout()));
    }

    /** As {@link #open}, on a connection that feeds may hold for long. */
    Answer openFeed(Call call, Duration longestSilence) {
        return retries.run(call, () -> send(call, true, longestSilence));
    }

    ClockSkew clockSkew() {
        return skew;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        transport.close();
    }

    static <T> T read(Answer answer, Reader<T> reader) {
        try {
            return reader.read(answer);
        } catch (JsonEOFException e) {
            throw unreachable(answer.call(), answer.request(), true, e);
        } catch (JsonProcessingException e) {
            throw answer.unusable(e.getOriginalMessage(), e);
        } catch (LimitedInput.TooMuch e) {
            throw answer.unusable(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw unreachable(answer.call(), answer.request(), true, e);
        }
    }

    private Answer send(Call call, boolean forFeed, Duration silence) {
        HttpUriRequestBase request = requests.of(call, silence);
        authenticator.authenticate(request);
        Answer answer = sendOnce(call, request, forFeed);
        if (answer.status() != UNAUTHORIZED || !authenticator.renew(request)) {
            return answer;
        }
        answer.close(); // a 401 means nothing was done, so even a write may be sent again
        HttpUriRequestBase again = requests.of(call, silence);
        authenticator.authenticate(again);
        return sendOnce(call, again, forFeed);
    }

    private Answer sendOnce(Call call, HttpUriRequestBase request, boolean forFeed) {
        long sent = skew.nanos();
        try {
            ClassicHttpResponse response = transport.send(request, forFeed);
            look(response, sent);
            return new Answer(call, response);
        } catch (Transport.Unanswered e) {
            throw unreachable(call, Failure.Request.of(call), e.wasSent(), e.trouble());
        }
    }

    private void look(ClassicHttpResponse response, long sent) {
        authenticator.observe(response);
        requests.observe(response);
        long received = skew.nanos();
        Optional.ofNullable(response.getFirstHeader(HttpHeaders.DATE))
                .filter(header -> !response.containsHeader(HttpHeaders.AGE)) // else a cache's answer, dated long ago
                .map(header -> DateUtils.parseStandardDate(header.getValue()))
                .ifPresent(dated -> skew.observe(sent, received, dated));
    }

    private void login(String user, Secret password) {
        JsonNode body = Json.object().put("name", user).put("password", password.reveal());
        Call call = Call.ask(UrlPath.ROOT.segment("_session"), body);
        try (Answer answer = sendOnce(call, requests.of(call, config.responseTimeout()), false)) {
            read(answer, Answer::object);
        }
    }

    private static CouchException unreachable(Call call, Failure.Request request, boolean sent, IOException cause) {
        String reason = Reasons.of(cause);
        return new CouchUnreachableException(
                new Failure(0, "unreachable", reason, request, sent && !call.repeatable()), cause);
    }
}

package io.couchjobs.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.couch.Transport;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.testing.OwnPauses;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http.message.BasicHeader;

/** A CouchDB client, for tests of any package, whose requests do not go through connections but to a function. */
public final class InProcess {
    private InProcess() {}

    /** A request. */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a value
    public record Request(
            String method,
            URI uri,
            Map<String, String> headers,
            byte[] body,
            Duration longestSilence,
            boolean forFeed) {}

    /** The head of an answer, and its body, which may come as it is read. */
    public record Response(int status, Map<String, List<String>> headers, InputStream body) {}

    /** No answer. */
    public static final class Broken extends Exception {
        private static final long serialVersionUID = 1L;
        private final IOException trouble;
        private final boolean sent;

        /** A connection that broke; whether the server may have heard of the request. */
        public Broken(String reason, boolean sent) {
            this(new SocketException(reason), sent);
        }

        /** Something else, such as a {@link java.net.SocketTimeoutException}. */
        public Broken(IOException trouble, boolean sent) {
            super(trouble);
            this.trouble = trouble;
            this.sent = sent;
        }
    }

    /** Answers requests. */
    @FunctionalInterface
    public interface Handler {
        Response answer(Request request) throws Broken;
    }

    /** A client whose requests the handler answers, whatever addresses the configuration names. */
    public static CouchServer connect(CouchConfig config, Handler handler, OwnPauses.Pause pause, LongSupplier nanos) {
        return connect(config, handler, pause, nanos, new Random(), task -> new Thread(task).start());
    }

    /** As the other, with a random choice of nodes that can be repeated, and with control of what nobody waits for. */
    public static CouchServer connect(
            CouchConfig config,
            Handler handler,
            OwnPauses.Pause pause,
            LongSupplier nanos,
            Random random,
            Executor background) {
        return connect(config, handler, background, new Played(pause, nanos, random));
    }

    /** As the others, in that environment. */
    public static CouchServer connect(
            CouchConfig config, Handler handler, Executor background, Environment environment) {
        return CouchServer.connect(config, new ClientParts(new Handled(handler), background, environment));
    }

    private static final class Played extends OwnPauses {
        private final LongSupplier nanos;
        private final Random random;

        Played(Pause pause, LongSupplier nanos, Random random) {
            super(pause);
            this.nanos = nanos;
            this.random = random;
        }

        @Override
        public long nanos() {
            return nanos.getAsLong();
        }

        @Override
        public Random random() {
            return random;
        }
    }

    private record Handled(Handler handler) implements Transport {
        @Override
        public ClassicHttpResponse send(HttpUriRequestBase request, Use use) throws Unanswered {
            try {
                return response(handler.answer(InProcess.request(request, use == Use.FEED)));
            } catch (Broken e) {
                throw new Unanswered(e.trouble, e.sent);
            } catch (IOException e) {
                throw new Unanswered(e, false);
            }
        }

        @Override
        public void close() {}
    }

    private static Request request(HttpUriRequestBase request, boolean forFeed) throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (Header header : request.getHeaders()) {
            headers.put(header.getName(), header.getValue());
        }
        byte[] body = new byte[0];
        if (request.getEntity() != null) {
            headers.put("Content-Type", request.getEntity().getContentType());
            body = EntityUtils.toByteArray(request.getEntity());
        }
        Duration silence = request.getConfig().getResponseTimeout().toDuration();
        return new Request(request.getMethod(), uri(request), headers, body, silence, forFeed);
    }

    private static URI uri(HttpUriRequestBase request) {
        try {
            return request.getUri();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ClassicHttpResponse response(Response answer) {
        BasicClassicHttpResponse response = new BasicClassicHttpResponse(answer.status());
        answer.headers()
                .forEach((name, values) -> values.forEach(value -> response.addHeader(new BasicHeader(name, value))));
        response.setEntity(new InputStreamEntity(answer.body(), ContentType.APPLICATION_JSON));
        return response;
    }
}

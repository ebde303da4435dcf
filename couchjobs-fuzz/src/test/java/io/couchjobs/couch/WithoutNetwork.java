package io.couchjobs.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.couch.Transport;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;

/** A client whose requests a function answers, without connections, pauses and chance. */
public final class WithoutNetwork {
    private WithoutNetwork() {}

    /** A request. */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a value
    public record Request(String method, URI uri, Map<String, String> headers, byte[] body) {}

    /** The head of an answer, and its body. */
    public record Reply(int status, Map<String, List<String>> headers, InputStream body) {}

    /** Answers requests; an exception is a connection that breaks. */
    @FunctionalInterface
    public interface Server {
        Reply answer(Request request) throws IOException;
    }

    /** A client of that server. */
    public static CouchServer connect(Server server) {
        CouchConfig config = CouchConfig.builder(URI.create("http://couch"))
                .gzipAbove(Integer.MAX_VALUE)
                .responseTimeout(Duration.ofSeconds(5))
                .build();
        return CouchServer.connect(config, new ClientParts(new Direct(server), task -> {}, new Hurried()));
    }

    private record Direct(Server server) implements Transport {
        @Override
        public ClassicHttpResponse send(HttpUriRequestBase request, Use use) throws Unanswered {
            try {
                Reply reply = server.answer(read(request));
                BasicClassicHttpResponse response = new BasicClassicHttpResponse(reply.status());
                reply.headers().forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
                response.setEntity(new InputStreamEntity(reply.body(), ContentType.APPLICATION_JSON));
                return response;
            } catch (IOException e) {
                throw new Unanswered(e, true);
            }
        }

        @Override
        public void close() {}
    }

    private static Request read(HttpUriRequestBase request) throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (Header header : request.getHeaders()) {
            headers.put(header.getName(), header.getValue());
        }
        byte[] body = new byte[0];
        if (request.getEntity() != null) {
            headers.put("Content-Type", request.getEntity().getContentType());
            body = EntityUtils.toByteArray(request.getEntity());
        }
        try {
            return new Request(request.getMethod(), request.getUri(), headers, body);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for nothing, and always draws the same lots. */
    private static final class Hurried implements Environment {
        private final Random random = new Random(7);

        @Override
        public long nanos() {
            return REAL.nanos();
        }

        @Override
        public void pause(Duration duration) {}

        @Override
        public Random random() {
            return random;
        }

        @Override
        public UUID uuid() {
            return new UUID(random.nextLong(), random.nextLong());
        }

        @Override
        public Instant instant() {
            return REAL.instant();
        }

        @Override
        public Lane lane(String name, int most) {
            return REAL.lane(name, most);
        }

        @Override
        public Thread thread(String name, Runnable loop) {
            return REAL.thread(name, loop);
        }

        @Override
        public void startRun(String name, ClassLoader loader, Runnable run) {
            REAL.startRun(name, loader, run);
        }

        @Override
        public boolean await(CompletableFuture<?> future, Duration longest) throws InterruptedException {
            return REAL.await(future, longest);
        }

        @Override
        public <T> T join(CompletableFuture<T> future) {
            return REAL.join(future);
        }
    }
}

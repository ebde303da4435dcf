package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.CouchConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.zip.GZIPOutputStream;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;

/**
 * Creates HTTP requests to one server from calls. Bodies are compressed only if the server has identified itself as CouchDB,
 * which supports compressed requests. Thread-safe.
 */
final class Requests {
    /** Has no charset, because JSON's media type has none. */
    private static final ContentType JSON = ContentType.create("application/json");

    private final URI server;
    private final CouchConfig config;
    private volatile boolean isCouch;

    Requests(URI server, CouchConfig config) {
        this.server = server;
        this.config = config;
    }

    void observe(HttpResponse answer) {
        Header server = answer.getFirstHeader(HttpHeaders.SERVER);
        isCouch = server != null && server.getValue().startsWith("CouchDB/");
    }

    HttpUriRequestBase of(Call call, Duration silence) {
        HttpUriRequestBase request = new HttpUriRequestBase(
                call.method(), URI.create(server + call.path().toString()));
        request.setConfig(Pools.timeouts(config, silence));
        request.setHeader(HttpHeaders.ACCEPT, JSON.getMimeType());
        Call.Body body = call.body();
        if (body != null) {
            request.setEntity(entity(body.bytes()));
        }
        return request;
    }

    private HttpEntity entity(byte[] json) {
        boolean compress = isCouch && json.length >= config.gzipAbove();
        return compress ? new ByteArrayEntity(compressed(json), JSON, "gzip") : new ByteArrayEntity(json, JSON);
    }

    private static byte[] compressed(byte[] bytes) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return compressed.toByteArray();
    }
}

package io.couchjobs.couch;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.UrlPath;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.http.HttpEntity;
import org.ektorp.CouchDbConnector;
import org.ektorp.http.HttpClient;
import org.ektorp.http.HttpResponse;
import org.ektorp.impl.StdCouchDbConnector;
import org.ektorp.impl.StdCouchDbInstance;
import org.jspecify.annotations.Nullable;

/**
 * Lets Ektorp send its requests through the same connections, credentials and checks as everything else. Ektorp was
 * made for HttpComponents 4; only its interface of an entity is left.
 */
final class EktorpTransport implements HttpClient {

    /**
     * Statuses for which Ektorp has exceptions of its own, or which it takes for an answer. The rest become our
     * exceptions.
     */
    private static final Set<Integer> ITS_OWN = Set.of(400, 404, 405, 406, 409, 412, 413, 415, 416, 417);

    /** A feed, or the attachment of a document. */
    private static final Pattern ENDLESS =
            Pattern.compile("^/[^/?]+/(?:_changes(?:\\?|$)|(?:_design/)?[^_/?][^/?]*/[^_/?])");

    private final Http http;

    private EktorpTransport(Http http) {
        this.http = http;
    }

    static CouchDbConnector connector(Http http, String database) {
        return new StdCouchDbConnector(database, new StdCouchDbInstance(new EktorpTransport(http))) {
            @Override
            public List<String> getAllDocIds() {
                return restTemplate.get(dbURI.append("_all_docs").toString(), new EktorpDocIds());
            }
        };
    }

    @Override
    public HttpResponse get(String path) {
        return send(Call.get(UrlPath.ofEncoded(path)));
    }

    @Override
    public HttpResponse get(String path, Map<String, String> headers) {
        return send(new Call("GET", UrlPath.ofEncoded(path), null, true, headers));
    }

    @Override
    public HttpResponse getUncached(String path) {
        return get(path);
    }

    @Override
    public HttpResponse head(String path) {
        return send(Call.head(UrlPath.ofEncoded(path)));
    }

    @Override
    public HttpResponse put(String path) {
        return write("PUT", path, null);
    }

    @Override
    public HttpResponse put(String path, String json) {
        return write("PUT", path, json(json));
    }

    @Override
    public HttpResponse put(String path, InputStream data, String contentType, long length) {
        return write("PUT", path, new Call.Body(readAll(data), contentType));
    }

    @Override
    public HttpResponse put(String path, HttpEntity entity) {
        return write("PUT", path, body(entity));
    }

    @Override
    public HttpResponse post(String path, String json) {
        return write("POST", path, json(json));
    }

    @Override
    public HttpResponse post(String path, InputStream json) {
        return write("POST", path, new Call.Body(readAll(json), Call.JSON));
    }

    @Override
    public HttpResponse post(String path, HttpEntity entity) {
        return write("POST", path, body(entity));
    }

    @Override
    public HttpResponse postUncached(String path, String json) {
        return post(path, json);
    }

    @Override
    public HttpResponse delete(String path) {
        return write("DELETE", path, null);
    }

    @Override
    public HttpResponse copy(String from, String to) {
        return send(new Call("COPY", UrlPath.ofEncoded(from), null, false, Map.of("Destination", to)));
    }

    /** Does nothing: the connections belong to the {@link CouchServer}. */
    @Override
    public void shutdown() {}

    private HttpResponse write(String method, String path, Call.@Nullable Body body) {
        return send(new Call(method, UrlPath.ofEncoded(path), body, false, Map.of()));
    }

    private HttpResponse send(Call call) {
        Answer answer = http.open(call);
        if (answer.isSuccess() || ITS_OWN.contains(answer.status())) {
            return new EktorpAnswer(
                    answer, ENDLESS.matcher(call.path().toString()).find());
        }
        try (answer) {
            throw CouchException.of(answer.read(Answer::failure));
        }
    }

    private static Call.Body json(String json) {
        return new Call.Body(json.getBytes(StandardCharsets.UTF_8), Call.JSON);
    }

    private static Call.Body body(HttpEntity entity) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            entity.writeTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String type = entity.getContentType() == null
                ? Call.JSON
                : entity.getContentType().getValue();
        return new Call.Body(bytes.toByteArray(), type);
    }

    private static byte[] readAll(InputStream data) {
        try (data) {
            return data.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

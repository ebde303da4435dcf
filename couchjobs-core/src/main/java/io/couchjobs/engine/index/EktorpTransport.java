package io.couchjobs.engine.index;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.couch.UrlPath;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.http.HttpEntity;
import org.ektorp.CouchDbConnector;
import org.ektorp.http.HttpClient;
import org.ektorp.http.HttpResponse;
import org.ektorp.impl.StdCouchDbConnector;
import org.ektorp.impl.StdCouchDbInstance;

/**
 * Lets Ektorp store design documents through the same connections, credentials and checks as everything else. Ektorp takes
 * a 202 for a 201, so nothing that must have one owner may go through it. It sends only the requests for which there is a
 * method here that does something.
 */
final class EktorpTransport implements HttpClient {

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final Http http;

    private EktorpTransport(Http http) {
        this.http = http;
    }

    static CouchDbConnector connector(CouchDatabase database) {
        Http http = ServerAccess.http(database.server());
        return new StdCouchDbConnector(database.name(), new StdCouchDbInstance(new EktorpTransport(http)));
    }

    @Override
    public HttpResponse head(String path) {
        return send(Call.head(UrlPath.ofEncoded(path)), NOT_FOUND);
    }

    @Override
    public HttpResponse put(String path, String json) {
        Call.Body body = new Call.Body(json.getBytes(StandardCharsets.UTF_8), Call.JSON);
        return send(new Call("PUT", UrlPath.ofEncoded(path), body, false, Map.of()), CONFLICT);
    }

    /** Ektorp understands one status that is no success; the others become our exceptions. */
    private HttpResponse send(Call call, int understood) {
        return new EktorpAnswer(http.open(call, understood));
    }

    /** Does nothing: the connections belong to the server. */
    @Override
    public void shutdown() {}

    @Override
    public HttpResponse get(String path) {
        throw unused();
    }

    @Override
    public HttpResponse get(String path, Map<String, String> headers) {
        throw unused();
    }

    @Override
    public HttpResponse getUncached(String path) {
        throw unused();
    }

    @Override
    public HttpResponse put(String path) {
        throw unused();
    }

    @Override
    public HttpResponse put(String path, InputStream data, String contentType, long length) {
        throw unused();
    }

    @Override
    public HttpResponse put(String path, HttpEntity entity) {
        throw unused();
    }

    @Override
    public HttpResponse post(String path, String json) {
        throw unused();
    }

    @Override
    public HttpResponse post(String path, InputStream json) {
        throw unused();
    }

    @Override
    public HttpResponse post(String path, HttpEntity entity) {
        throw unused();
    }

    @Override
    public HttpResponse postUncached(String path, String json) {
        throw unused();
    }

    @Override
    public HttpResponse delete(String path) {
        throw unused();
    }

    @Override
    public HttpResponse copy(String from, String to) {
        throw unused();
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("only design documents are stored through Ektorp");
    }
}

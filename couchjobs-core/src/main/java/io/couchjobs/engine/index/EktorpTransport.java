package io.couchjobs.engine.index;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.couch.UrlPath;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import org.ektorp.CouchDbConnector;
import org.ektorp.http.HttpClient;
import org.ektorp.http.HttpResponse;
import org.ektorp.impl.StdCouchDbConnector;
import org.ektorp.impl.StdCouchDbInstance;
import org.jspecify.annotations.Nullable;

/**
 * Lets Ektorp store design documents through the same connections, credentials and checks as all other requests. Ektorp
 * treats a 202 like a 201, so a write that must have one owner may not go through Ektorp. Only the requests that are
 * named here are sent.
 */
final class EktorpTransport {

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final Http http;

    private EktorpTransport(Http http) {
        this.http = http;
    }

    static CouchDbConnector connector(CouchDatabase database) {
        EktorpTransport transport = new EktorpTransport(ServerAccess.http(database.server()));
        HttpClient client = (HttpClient) Proxy.newProxyInstance(
                HttpClient.class.getClassLoader(),
                new Class<?>[] {HttpClient.class},
                (proxy, method, arguments) -> transport.answer(method.getName(), arguments));
        return new StdCouchDbConnector(database.name(), new StdCouchDbInstance(client));
    }

    private @Nullable HttpResponse answer(String method, Object @Nullable [] arguments) {
        if (method.equals("shutdown")) {
            return null; // the connections belong to the server
        } else if (arguments != null && method.equals("head")) {
            return send(Call.head(UrlPath.ofEncoded((String) arguments[0])), NOT_FOUND);
        } else if (arguments != null
                && method.equals("put")
                && arguments.length == 2
                && arguments[1] instanceof String json) {
            UrlPath path = UrlPath.ofEncoded((String) arguments[0]);
            return send(Call.write("PUT", path, json.getBytes(StandardCharsets.UTF_8)), CONFLICT);
        }
        throw new UnsupportedOperationException("only design documents are stored through Ektorp");
    }

    /** Sends a request. Ektorp gets the one error status that it understands; the others become exceptions of couchjobs. */
    private HttpResponse send(Call call, int understood) {
        return new EktorpAnswer(http.open(call, understood));
    }
}

package io.couchjobs.embedded.http;

import com.sun.net.httpserver.HttpExchange;
import io.couchjobs.couch.WithoutNetwork;
import io.couchjobs.embedded.store.CouchStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.util.Map;

/** The embedded server, without connections: the thread that asks serves the request. */
public final class WithinThread implements WithoutNetwork.Server {
    private final Answering answering;

    /** Serves that store to everybody. */
    public WithinThread(CouchStore store) {
        this.answering = new Answering(new Router(new Databases(store), new Accounts(Map.of(), store)));
    }

    @Override
    public WithoutNetwork.Reply answer(WithoutNetwork.Request request) throws IOException {
        ToMemory exchange = new ToMemory(request.method(), target(request.uri()), request.headers(), request.body());
        serve(exchange);
        return new WithoutNetwork.Reply(
                exchange.getResponseCode(), exchange.getResponseHeaders(), new ByteArrayInputStream(exchange.answer()));
    }

    /** Serves one exchange. */
    public void serve(HttpExchange exchange) throws IOException {
        answering.answer(exchange, new Call(exchange, false));
    }

    private static URI target(URI uri) {
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        return URI.create(uri.getRawPath() + query);
    }
}

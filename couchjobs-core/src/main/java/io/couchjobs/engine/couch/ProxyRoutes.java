package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.HttpProxy;
import java.io.IOException;
import java.net.URI;
import org.apache.hc.client5.http.auth.AuthExchange;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicScheme;
import org.apache.hc.client5.http.impl.routing.DefaultRoutePlanner;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/** Plans routes through a proxy, except for excluded servers. Thread-safe. */
final class ProxyRoutes extends DefaultRoutePlanner {

    private static final int PROXY_AUTHENTICATION_REQUIRED = 407;

    private final HttpProxy proxy;
    private final HttpHost host;

    ProxyRoutes(HttpProxy proxy) {
        super(null);
        this.proxy = proxy;
        URI url = proxy.url();
        this.host = new HttpHost("http", url.getHost(), url.getPort() < 0 ? 80 : url.getPort());
    }

    @Override
    protected @Nullable HttpHost determineProxy(HttpHost target, HttpContext context) {
        return proxy.isFor(target.getHostName(), port(target)) ? host : null;
    }

    /** Adds the proxy's credentials to the first request, because a challenge would cost a round trip each time. */
    void authenticate(HttpClientContext context) {
        proxy.credentials().ifPresent(who -> {
            BasicScheme basic = new BasicScheme();
            basic.initPreemptive(new UsernamePasswordCredentials(
                    who.user(), who.password().reveal().toCharArray()));
            AuthExchange exchange = new AuthExchange();
            exchange.select(basic);
            context.setAuthExchange(host, exchange);
        });
    }

    /**
     * Throws if the proxy refused the request. An answer that came before the request was sent is the proxy's answer to
     * CONNECT.
     */
    static void requirePassed(ClassicHttpResponse answer, boolean wasSent) throws IOException {
        if (!wasSent || answer.getCode() == PROXY_AUTHENTICATION_REQUIRED) {
            answer.close();
            throw new ProxyRefusal(answer.getCode(), String.valueOf(answer.getReasonPhrase()));
        }
    }

    private static int port(HttpHost target) {
        if (target.getPort() >= 0) {
            return target.getPort();
        }
        return target.getSchemeName().equals("https") ? 443 : 80;
    }
}

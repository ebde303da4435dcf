package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.time.Lane;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.DefaultClientConnectionReuseStrategy;
import org.apache.hc.client5.http.impl.DefaultConnectionKeepAliveStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * A transport with one connection pool per use. Feeds hold their connections for a long time and must not starve requests.
 * Requests wait long for an index that is being built, and must not starve the renewals of leases.
 */
final class Pools implements Transport {

    private static final String SENT = "couchjobs.sent";
    /**
     * A connection that was idle for longer is checked before use, because a write on a dead connection has an unknown
     * outcome.
     */
    private static final TimeValue TRUSTED = TimeValue.ofMilliseconds(200);

    private static final TimeValue KEPT_IDLE = TimeValue.ofSeconds(30);

    /** The size of bodies that are watched. The operating system buffers smaller bodies, whether the server reads them or not. */
    private static final int LARGE = 100_000;

    private final CouchConfig config;
    private final Lane background;
    private final Optional<ProxyRoutes> proxy;
    private final TlsSocketStrategy tls;

    private static final int FOR_RENEWALS = 2;
    /** Only one thread logs in at a time. */
    private static final int FOR_LOGINS = 1;

    private final Map<Use, CloseableHttpClient> clients = new EnumMap<>(Use.class);

    /** @param background aborts requests that the server does not read */
    Pools(CouchConfig config, Lane background) {
        this.config = config;
        this.background = background;
        this.proxy = config.proxy().map(ProxyRoutes::new);
        this.tls = Trust.of(config);
        clients.put(
                Use.REQUEST,
                client(config.maxConnections())
                        .setContentDecoderRegistry(new LinkedHashMap<>(Map.of("gzip", GZIPInputStream::new)))
                        .build());
        clients.put(
                Use.FEED,
                client(config.maxFeedConnections())
                        .disableContentCompression() // a compressed heartbeat would wait in a buffer
                        .build());
        clients.put(
                Use.RENEWAL, client(FOR_RENEWALS).disableContentCompression().build());
        clients.put(
                Use.LOGIN,
                client(FOR_LOGINS)
                        .disableContentCompression()
                        .setConnectionReuseStrategy(
                                (request, answer, context) -> false) // its buffers contain the password
                        .build());
    }

    @Override
    public ClassicHttpResponse send(HttpUriRequestBase request, Use use) throws Unanswered {
        HttpClientContext context = HttpClientContext.create();
        proxy.ifPresent(routes -> routes.authenticate(context));
        watch(request);
        try {
            ClassicHttpResponse answer =
                    Objects.requireNonNull(clients.get(use)).executeOpen(null, request, context);
            if (proxy.isPresent()) {
                ProxyRoutes.requirePassed(answer, wasSent(context));
            }
            return answer;
        } catch (ProxyRefusal e) {
            throw new Unanswered(e, false);
        } catch (IOException e) {
            throw new Unanswered(
                    request.isAborted() ? new SocketTimeoutException("the server does not take the request") : e,
                    wasSent(context));
        } catch (IllegalStateException e) { // the pool was closed meanwhile
            throw new Unanswered(new IOException(e.getMessage()), wasSent(context));
        }
    }

    private void watch(HttpUriRequestBase request) {
        HttpEntity body = request.getEntity();
        boolean isLarge = body != null && (body.getContentLength() < 0 || body.getContentLength() >= LARGE);
        if (isLarge) {
            request.setEntity(new WatchedBody(body, request, background, config.responseTimeout()));
        }
    }

    @Override
    public void close() {
        clients.values().forEach(client -> client.close(CloseMode.IMMEDIATE));
    }

    static RequestConfig timeouts(CouchConfig config, Duration silence) {
        return RequestConfig.custom()
                .setConnectionRequestTimeout(Timeout.of(config.connectTimeout()))
                .setResponseTimeout(Timeout.of(silence))
                .setAuthenticationEnabled(false)
                .setRedirectsEnabled(false)
                .setProtocolUpgradeEnabled(false)
                .build();
    }

    /** Returns whether any part of the request may have reached the server. */
    private static boolean wasSent(HttpContext context) {
        return context.getAttribute(SENT) != null;
    }

    private HttpClientBuilder client(int connections) {
        HttpClientBuilder builder = HttpClientBuilder.create();
        proxy.ifPresent(builder::setRoutePlanner);
        return builder.setConnectionManager(manager(connections))
                .setUserAgent(config.userAgent())
                .disableAutomaticRetries()
                .disableRedirectHandling()
                .disableCookieManagement()
                .disableAuthCaching()
                .setConnectionReuseStrategy(Pools::isUsableAgain)
                .setKeepAliveStrategy(Pools::keptIdle)
                .addExecInterceptorBefore(ChainElement.MAIN_TRANSPORT.name(), "sent", (request, scope, chain) -> {
                    scope.clientContext.setAttribute(SENT, true); // there is a connection from here on
                    return chain.proceed(request, scope);
                });
    }

    /**
     * Returns whether a connection can be reused. CouchDB 3.5 answers a request for changes twice, with 412 or 500, when it
     * loses the nodes that have the changes. On a reused connection the second answer would be taken for the answer to the
     * next request.
     */
    private static boolean isUsableAgain(HttpRequest request, HttpResponse answer, HttpContext context) {
        boolean mayBeDoubled =
                answer.getCode() == HttpStatus.SC_PRECONDITION_FAILED || answer.getCode() >= HttpStatus.SC_SERVER_ERROR;
        return !mayBeDoubled && DefaultClientConnectionReuseStrategy.INSTANCE.keepAlive(request, answer, context);
    }

    /**
     * Returns how long a connection may be idle; a server may ask for less. An idle timeout of the pool would need HttpClient
     * 5.6.
     */
    private static TimeValue keptIdle(HttpResponse answer, HttpContext context) {
        TimeValue asked = DefaultConnectionKeepAliveStrategy.INSTANCE.getKeepAliveDuration(answer, context);
        return TimeValue.isPositive(asked) && asked.compareTo(KEPT_IDLE) < 0 ? asked : KEPT_IDLE;
    }

    private HttpClientConnectionManager manager(int connections) {
        return PoolingHttpClientConnectionManagerBuilder.create()
                .setConnectionFactory(QuietConnection::on)
                .setTlsSocketStrategy(tls)
                .setMaxConnTotal(connections * config.urls().size())
                .setMaxConnPerRoute(connections)
                .setDefaultSocketConfig(SocketConfig.custom()
                        .setSoTimeout(Timeout.of(config.responseTimeout()))
                        .build())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.of(config.connectTimeout()))
                        .setSocketTimeout(Timeout.of(config.responseTimeout()))
                        .setValidateAfterInactivity(TRUSTED)
                        .build())
                .build();
    }
}

package io.couchjobs.embedded.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An exchange without a connection. The constructor takes the request, and a subclass decides where the answer goes. */
abstract class DetachedExchange extends HttpExchange {
    private final InProcess.Request request;
    private final Headers requestHeaders = new Headers();
    private final Headers responseHeaders = new Headers();
    private final Map<String, Object> attributes = new HashMap<>();
    private int status = -1;

    DetachedExchange(InProcess.Request request) {
        this.request = request;
        request.headers().forEach(requestHeaders::set);
    }

    @Override
    public Headers getRequestHeaders() {
        return requestHeaders;
    }

    @Override
    public Headers getResponseHeaders() {
        return responseHeaders;
    }

    @Override
    public URI getRequestURI() {
        return request.target();
    }

    @Override
    public String getRequestMethod() {
        return request.method();
    }

    @Override
    public HttpContext getHttpContext() {
        throw new UnsupportedOperationException("There is no server.");
    }

    @Override
    public InputStream getRequestBody() {
        return new ByteArrayInputStream(request.body());
    }

    @Override
    public void sendResponseHeaders(int code, long length) {
        status = code;
    }

    @Override
    public int getResponseCode() {
        return status;
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return getRemoteAddress();
    }

    @Override
    public String getProtocol() {
        return "HTTP/1.1";
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return attributes.get(name);
    }

    @Override
    public void setAttribute(String name, Object value) {
        attributes.put(name, value);
    }

    @Override
    public void setStreams(InputStream in, OutputStream out) {
        throw new UnsupportedOperationException("There are no filters.");
    }

    @Override
    public @Nullable HttpPrincipal getPrincipal() {
        return null;
    }
}

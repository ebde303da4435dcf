package io.couchjobs.embedded.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An exchange of which both sides are in memory. */
public final class ToMemory extends HttpExchange {
    private final String method;
    private final URI target;
    private final Headers requestHeaders = new Headers();
    private final byte[] body;
    private final Headers responseHeaders = new Headers();
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    private int status = -1;

    /** A request whose target is a path with its query. */
    public ToMemory(String method, URI target, Map<String, String> headers, byte[] body) {
        this.method = method;
        this.target = target;
        this.body = body.clone();
        headers.forEach(requestHeaders::set);
    }

    /** {@return what was answered} */
    public byte[] answer() {
        return answer.toByteArray();
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
        return target;
    }

    @Override
    public String getRequestMethod() {
        return method;
    }

    @Override
    public HttpContext getHttpContext() {
        throw new UnsupportedOperationException("there is no server");
    }

    @Override
    public void close() {}

    @Override
    public InputStream getRequestBody() {
        return new ByteArrayInputStream(body);
    }

    @Override
    public OutputStream getResponseBody() {
        return answer;
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
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
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
        return null;
    }

    @Override
    public void setAttribute(String name, Object value) {}

    @Override
    public void setStreams(InputStream in, OutputStream out) {
        throw new UnsupportedOperationException("there are no filters");
    }

    @Override
    public @Nullable HttpPrincipal getPrincipal() {
        return null;
    }
}

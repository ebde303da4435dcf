package io.couchjobs.spring;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/** Presents a servlet request as an exchange of the JDK's HTTP server. Used by the request's thread only. */
final class ServletExchange extends HttpExchange {
    private static final String HOST = "Host";

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final Headers requestHeaders = new Headers();
    private final Headers responseHeaders = new Headers();

    ServletExchange(HttpServletRequest request, HttpServletResponse response) {
        this.request = request;
        this.response = response;
        Collections.list(request.getHeaderNames()).forEach(name -> Collections.list(request.getHeaders(name))
                .forEach(value -> requestHeaders.add(name, value)));
        if (!requestHeaders.containsKey(HOST) && request.getProtocol().startsWith("HTTP/2")) {
            requestHeaders.set(HOST, authority(request));
        }
    }

    /** HTTP/2 has {@code :authority} instead of a {@code Host} header; containers such as Tomcat take the server name from it. */
    private static String authority(HttpServletRequest request) {
        int usual = "https".equals(request.getScheme()) ? 443 : 80;
        int port = request.getServerPort();
        return request.getServerName() + (port == usual ? "" : ":" + port);
    }

    @Override
    public Headers getRequestHeaders() {
        return requestHeaders;
    }

    @Override
    public Headers getResponseHeaders() {
        return responseHeaders;
    }

    /** {@return whether the request has a valid URI; containers accept invalid escapes in a query} */
    static boolean isUri(HttpServletRequest request) {
        try {
            new URI(uri(request));
            return true;
        } catch (URISyntaxException wrong) {
            return false;
        }
    }

    @Override
    public URI getRequestURI() {
        return URI.create(uri(request));
    }

    private static String uri(HttpServletRequest request) {
        String query = request.getQueryString();
        return request.getRequestURI() + (query == null ? "" : "?" + query);
    }

    @Override
    public String getRequestMethod() {
        return request.getMethod();
    }

    @Override
    public HttpContext getHttpContext() {
        throw new UnsupportedOperationException("a servlet has no such context");
    }

    /** Does nothing: the container ends the response when the servlet returns. */
    @Override
    public void close() {}

    @Override
    public InputStream getRequestBody() {
        try {
            return request.getInputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public OutputStream getResponseBody() {
        try {
            return response.getOutputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void sendResponseHeaders(int status, long length) {
        response.setStatus(status);
        responseHeaders.forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
        if (length > 0) {
            response.setContentLengthLong(length);
        }
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return InetSocketAddress.createUnresolved(request.getRemoteAddr(), request.getRemotePort());
    }

    @Override
    public int getResponseCode() {
        return response.getStatus();
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return InetSocketAddress.createUnresolved(request.getLocalAddr(), request.getLocalPort());
    }

    @Override
    public String getProtocol() {
        return request.getProtocol();
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return request.getAttribute(name);
    }

    @Override
    public void setAttribute(String name, Object value) {
        request.setAttribute(name, value);
    }

    @Override
    public void setStreams(InputStream in, OutputStream out) {
        throw new UnsupportedOperationException("a servlet's streams stay as they are");
    }

    @Override
    public @Nullable HttpPrincipal getPrincipal() {
        return null;
    }
}

package io.couchjobs.engine.couch;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.impl.io.SocketHolder;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A connection that never logs headers or bodies, at any level, because they contain passwords, tokens and cookies. It does
 * not extend HttpClient's own connection class, because that class cannot be extended before version 5.6, and frameworks such
 * as Spring Boot 3 use older versions.
 */
final class QuietConnection extends DefaultBHttpClientConnection implements ManagedHttpClientConnection {
    /** The maximum number of interim answers (such as 103) before the final answer. */
    private static final int MOST_BEFORE_THE_ANSWER = 100;

    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Timeout socketTimeout = Timeout.ZERO_MILLISECONDS;
    private int beforeTheAnswer;
    private boolean connecting;

    private QuietConnection() {
        super(Http1Config.DEFAULT);
    }

    static ManagedHttpClientConnection on(@Nullable Socket socket) throws IOException {
        QuietConnection connection = new QuietConnection();
        if (socket != null) {
            connection.bind(socket);
        }
        return connection;
    }

    @Override
    public void bind(Socket socket) throws IOException {
        bind(new SocketHolder(socket));
    }

    @Override
    public void bind(SSLSocket encrypted, Socket socket) throws IOException {
        bind(new SocketHolder(encrypted, socket));
    }

    /** Binds the connection, unless another thread has closed it while it was being established. */
    @Override
    public void bind(SocketHolder holder) throws IOException {
        if (closed.get()) {
            holder.getSocket().close();
            throw new InterruptedIOException("the connection was closed while it was being made");
        }
        super.bind(holder);
        socketTimeout = Timeout.ofMilliseconds(holder.getSocket().getSoTimeout());
    }

    @Override
    public @Nullable Socket getSocket() {
        SocketHolder holder = getSocketHolder();
        return holder == null ? null : holder.getSocket();
    }

    @Override
    public @Nullable SSLSession getSSLSession() {
        return getSocket() instanceof SSLSocket encrypted ? encrypted.getSession() : null;
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            super.close();
        }
    }

    @Override
    public void close(CloseMode mode) {
        if (closed.compareAndSet(false, true)) {
            super.close(mode);
        }
    }

    /** Removes the timeout while the connection is in the pool, where it waits for no answer. */
    @Override
    public void passivate() {
        setSocketTimeout(Timeout.ZERO_MILLISECONDS);
    }

    @Override
    public void activate() {
        setSocketTimeout(socketTimeout);
    }

    @Override
    public ClassicHttpResponse receiveResponseHeader() throws HttpException, IOException {
        ClassicHttpResponse answer = super.receiveResponseHeader();
        beforeTheAnswer = answer.getCode() < HttpStatus.SC_SUCCESS ? beforeTheAnswer + 1 : 0;
        if (beforeTheAnswer > MOST_BEFORE_THE_ANSWER) {
            throw new IOException("the server announces an answer and never gives it");
        }
        return answer;
    }

    /** Skips the body when a proxy refuses to connect; otherwise it would be read to its end before the failure is reported. */
    @Override
    public void receiveResponseEntity(ClassicHttpResponse answer) throws HttpException, IOException {
        if (!connecting) {
            super.receiveResponseEntity(answer);
        }
    }

    @Override
    protected void onRequestSubmitted(ClassicHttpRequest request) {
        connecting = Method.CONNECT.isSame(request.getMethod());
    }
}

package io.couchjobs.engine.couch;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.impl.io.DefaultManagedHttpClientConnection;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.impl.io.SocketHolder;

/** A connection that logs neither headers nor bodies, at no level: they hold passwords, tokens and cookies. */
final class QuietConnection extends DefaultManagedHttpClientConnection {

    private static final AtomicLong COUNT = new AtomicLong();

    /** The most interim answers (103 and the like) before the answer. */
    private static final int MOST_BEFORE_THE_ANSWER = 100;

    private int beforeTheAnswer;
    private boolean connecting;

    private QuietConnection() {
        super("couch-" + COUNT.incrementAndGet());
    }

    static ManagedHttpClientConnection on(Socket socket) throws IOException {
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

    @Override
    public ClassicHttpResponse receiveResponseHeader() throws HttpException, IOException {
        ClassicHttpResponse answer = super.receiveResponseHeader();
        beforeTheAnswer = answer.getCode() < HttpStatus.SC_SUCCESS ? beforeTheAnswer + 1 : 0;
        if (beforeTheAnswer > MOST_BEFORE_THE_ANSWER) {
            throw new IOException("the server announces an answer and never gives it");
        }
        return answer;
    }

    /**
     * Skips the body of a proxy that refuses to connect: it would be read to its end before the failure is reported.
     */
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

    @Override
    protected void onResponseReceived(ClassicHttpResponse answer) {}
}

package io.couchjobs.couch;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.impl.io.DefaultManagedHttpClientConnection;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.impl.io.SocketHolder;

/** A connection that logs neither headers nor bodies, at no level: they hold passwords, tokens and cookies. */
final class QuietConnection extends DefaultManagedHttpClientConnection {

    private static final AtomicLong COUNT = new AtomicLong();

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
    protected void onRequestSubmitted(ClassicHttpRequest request) {}

    @Override
    protected void onResponseReceived(ClassicHttpResponse answer) {}
}

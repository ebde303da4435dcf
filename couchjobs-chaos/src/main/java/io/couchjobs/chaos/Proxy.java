package io.couchjobs.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A proxy between one process and one node, which causes trouble for that process. Thread-safe. */
final class Proxy implements AutoCloseable {
    private final URI target;
    private final Trouble trouble;
    private final ServerSocket socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final List<Connection> connections = new CopyOnWriteArrayList<>();

    Proxy(URI target, Trouble trouble) throws IOException {
        this.target = target;
        this.trouble = trouble;
        daemon(this::accept);
    }

    /** {@return the URL of the target through this proxy, including credentials} */
    URI url() {
        try {
            return new URI(
                    target.getScheme(),
                    target.getUserInfo(),
                    "127.0.0.1",
                    socket.getLocalPort(),
                    target.getPath(),
                    null,
                    null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("a proxy for " + target.getHost() + " has no URL", e);
        }
    }

    void resetAll() {
        connections.forEach(Connection::reset);
        connections.clear();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        resetAll();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                connect(socket.accept());
            } catch (IOException closed) {
                // or the client's socket failed; the next connection may succeed
            }
        }
    }

    /** Connects a client with the server. If the server is down, resets the connection, as the server's machine would. */
    @SuppressWarnings("resource") // The connection closes both sockets.
    private void connect(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(target.getHost(), target.getPort());
        } catch (IOException away) {
            client.setSoLinger(true, 0);
            client.close();
            return;
        }
        Connection connection = new Connection(client, server, trouble);
        connections.removeIf(Connection::isClosed);
        connections.add(connection);
        daemon(connection::passRequests);
        daemon(connection::passAnswers);
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }
}

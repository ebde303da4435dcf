package io.couchjobs.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port that leads to a server, and can do what a node of a cluster can: die, freeze, and come back. Several doors to one
 * server are a cluster whose copies are always the same.
 */
public final class NodeDoor implements AutoCloseable {
    private final URI target;
    private final int port;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final Object thawed = new Object();
    private volatile ServerSocket socket;
    private volatile boolean frozen;

    /** Opens a door at a free port. */
    public NodeDoor(URI target) {
        this.target = target;
        try {
            socket = listen(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.port = socket.getLocalPort();
    }

    /** The server's address through this door. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    /** How many connections were made. */
    public int connections() {
        return connections.get();
    }

    /** How many connections are open. */
    public int openConnections() {
        open.removeIf(Socket::isClosed);
        return open.size() / 2;
    }

    /** Cuts all connections, and accepts none from now on. */
    public void die() {
        close();
    }

    /** Accepts connections again. */
    public void rise() throws IOException {
        socket = listen(port);
    }

    /** Accepts connections, but nothing goes through, in neither direction, before {@link #thaw}. */
    public void freeze() {
        frozen = true;
    }

    /** Lets through what was held, and what comes. */
    public void thaw() {
        synchronized (thawed) {
            frozen = false;
            thawed.notifyAll();
        }
    }

    @Override
    public void close() {
        quietly(socket);
        open.forEach(NodeDoor::quietly);
        open.clear();
    }

    private ServerSocket listen(int where) throws IOException {
        ServerSocket listening = new ServerSocket();
        listening.setReuseAddress(true);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), where), 200);
        daemon(() -> accept(listening));
        return listening;
    }

    private void accept(ServerSocket listening) throws IOException {
        while (true) {
            Socket client = listening.accept();
            connections.incrementAndGet();
            Socket server = new Socket(target.getHost(), target.getPort());
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            open.addAll(List.of(client, server));
            if (listening.isClosed()) { // it died in between
                quietly(client);
                quietly(server);
            }
            daemon(() -> pump(client, server));
            daemon(() -> pump(server, client));
        }
    }

    private void pump(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[1 << 16];
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                awaitThaw();
                out.write(bytes, 0, n);
                out.flush();
            }
        }
    }

    private void awaitThaw() {
        synchronized (thawed) {
            while (frozen) {
                try {
                    thawed.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private static void quietly(AutoCloseable end) {
        try {
            end.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void daemon(Daemons.Task task) {
        Daemons.start("node-door", task);
    }
}

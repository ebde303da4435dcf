package io.couchjobs.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Between a client and a server: holds answers back when the server has made them, and changes what they say. */
public final class TcpProxy implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final URI target;
    private final List<Gate> gates = new CopyOnWriteArrayList<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private volatile UnaryOperator<String> change = UnaryOperator.identity();

    public TcpProxy(URI target) throws IOException {
        this.target = target;
        daemon(this::accept);
    }

    /** Answers that wait until the gate is opened. */
    public static final class Gate {
        private final String part;
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);

        private Gate(String part) {
            this.part = part;
        }

        public void awaitAnswer() throws InterruptedException {
            if (!arrived.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("no answer to " + part);
            }
        }

        public void open() {
            opened.countDown();
        }
    }

    /** The server's address with the proxy's port. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/");
    }

    /** Holds what the server says from now on to requests whose first line has this in it, a feed's rows too. */
    public Gate hold(String part) {
        Gate gate = new Gate(part);
        gates.add(gate);
        return gate;
    }

    /** Changes the bytes that the server sends, as Latin-1 text; its length must stay. */
    public void change(UnaryOperator<String> newChange) {
        change = newChange;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        gates.forEach(Gate::open);
        for (Socket each : open) {
            each.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = socket.accept();
            Socket server = new Socket(target.getHost(), target.getPort());
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            open.addAll(List.of(client, server));
            String[] asked = {""};
            daemon(() -> pump(client, server, text -> {
                if (text.contains(" HTTP/1.1\r\n")) {
                    asked[0] = text.substring(0, text.indexOf("\r\n"));
                }
                return text;
            }));
            daemon(() -> pump(server, client, text -> {
                pass(asked[0]);
                return change.apply(text);
            }));
        }
    }

    private void pass(String asked) {
        for (Gate gate : gates) {
            if (asked.contains(gate.part)) {
                gate.arrived.countDown();
                try {
                    gate.opened.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private static void pump(Socket from, Socket to, UnaryOperator<String> look) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[1 << 16];
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                String text = look.apply(new String(bytes, 0, n, StandardCharsets.ISO_8859_1));
                out.write(text.getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
            }
        }
    }

    private static void daemon(Daemons.Task task) {
        Daemons.start("tcp-proxy", task);
    }
}

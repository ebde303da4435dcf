package io.couchjobs.testing;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A small HTTP proxy. It passes on whatever it is asked to, to one server only; or answers with a refusal. */
public final class TestProxy implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final URI server;
    private final String refusal;
    private final List<String> heads = new CopyOnWriteArrayList<>();
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();

    private TestProxy(URI server, String refusal) throws IOException {
        this.server = server;
        this.refusal = refusal;
        start(this::accept);
    }

    public static TestProxy to(URI server) throws IOException {
        return new TestProxy(server, null);
    }

    public static TestProxy refusing(String status) throws IOException {
        return new TestProxy(null, "HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n\r\nno");
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }

    /** What it was asked: of each connection the request line and header of the first request. */
    public List<String> heads() {
        return heads;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (Closeable connection : open) {
            connection.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = socket.accept();
            open.add(client);
            start(() -> serve(client));
        }
    }

    private void serve(Socket client) throws IOException {
        InputStream in = client.getInputStream();
        String head = head(in);
        heads.add(head);
        if (refusal != null) {
            client.getOutputStream().write(refusal.getBytes(StandardCharsets.US_ASCII));
            return;
        }
        Socket target = new Socket(server.getHost(), server.getPort());
        open.add(target);
        if (head.startsWith("CONNECT ")) {
            client.getOutputStream().write("HTTP/1.1 200 Connected\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        } else {
            target.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        }
        start(() -> in.transferTo(target.getOutputStream()));
        try (client;
                target) {
            pump(target.getInputStream(), client.getOutputStream());
        }
    }

    /** Bit by bit: a feed never ends. */
    private static void pump(InputStream from, OutputStream to) throws IOException {
        byte[] some = new byte[8192];
        for (int read = from.read(some); read >= 0; read = from.read(some)) {
            to.write(some, 0, read);
            to.flush();
        }
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.US_ASCII);
    }

    /** Something that ends when a connection does. */
    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException closed) {
                // the end of the test, or of a connection
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}

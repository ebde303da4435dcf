package io.couchjobs.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A server that answers with exactly the bytes a test wants, to any request, and can fall silent. */
public final class RawServer implements AutoCloseable {

    private final ServerSocket socket;
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<String> heads = new CopyOnWriteArrayList<>();
    private final String scheme;

    /** What it does with a connection after the request's header. */
    @FunctionalInterface
    public interface Script {
        void play(OutputStream out, CountDownLatch end) throws IOException, InterruptedException;
    }

    private RawServer(ServerSocket socket, String scheme, Script script) {
        this.socket = socket;
        this.scheme = scheme;
        Thread thread = new Thread(() -> serve(script), "raw-server");
        thread.setDaemon(true);
        thread.start();
    }

    public static RawServer playing(Script script) throws IOException {
        return on(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), "http", script);
    }

    public static RawServer on(ServerSocket socket, String scheme, Script script) {
        return new RawServer(socket, scheme, script);
    }

    /** Sends these bytes and then nothing more, without closing the connection. */
    public static Script sendAndFallSilent(String text) {
        return (out, end) -> {
            send(out, text);
            end.await();
        };
    }

    /** Sends these bytes and cuts the connection. */
    public static Script sendAndCut(String text) {
        return (out, end) -> send(out, text);
    }

    public static String chunk(String text) {
        return Integer.toHexString(text.getBytes(StandardCharsets.UTF_8).length) + "\r\n" + text + "\r\n";
    }

    public static String chunkedHeader() {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    }

    public URI url() {
        return URI.create(scheme + "://localhost:" + socket.getLocalPort());
    }

    public int requests() {
        return heads.size();
    }

    /** The request lines and headers that came. */
    public List<String> heads() {
        return heads;
    }

    @Override
    public void close() throws IOException {
        end.countDown();
        socket.close();
    }

    private void serve(Script script) {
        while (!socket.isClosed()) {
            try {
                Socket connection = socket.accept();
                Thread thread = new Thread(() -> answer(connection, script), "raw-connection");
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void answer(Socket connection, Script script) {
        try (connection) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
            StringBuilder head = new StringBuilder();
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                head.append(line).append('\n');
            }
            heads.add(head.toString());
            script.play(connection.getOutputStream(), end);
        } catch (IOException | InterruptedException e) {
            // the client went away, which some tests want
        }
    }

    public static void send(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}

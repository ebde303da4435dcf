package io.couchjobs.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A connection between a client and a server. Passes all bytes on unchanged, except while there is trouble. Clients send one
 * request at a time, so the bytes after an answer start the next request. Thread-safe.
 */
final class Connection {
    private static final Pattern REQUEST = Pattern.compile("^(GET|PUT|POST|DELETE|HEAD) (\\S+) HTTP/1\\.1\r\n");
    private static final Pattern SINCE = Pattern.compile("([?&]since=)([^&\\s]+)");
    private static final String FULL = "{\"error\":\"insufficient_storage\",\"reason\":\"the disk is full\"}";
    private static final int BUFFER = 1 << 16;

    private final Socket client;
    private final Socket server;
    private final Trouble trouble;
    private volatile String asked = "";

    Connection(Socket client, Socket server, Trouble trouble) throws IOException {
        this.client = client;
        this.server = server;
        this.trouble = trouble;
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
    }

    /** Resets the connection on both sides. */
    void reset() {
        for (Socket side : new Socket[] {client, server}) {
            try {
                side.setSoLinger(true, 0);
                side.close();
            } catch (IOException gone) {
                // closed anyway
            }
        }
    }

    boolean isClosed() {
        return client.isClosed();
    }

    /** Passes on the client's bytes until one side closes. */
    void passRequests() {
        pump(client, server, this::request);
    }

    /** Passes on the server's bytes until one side closes. */
    void passAnswers() {
        pump(server, client, this::answer);
    }

    /** Changes, delays or drops bytes in one direction. */
    @FunctionalInterface
    private interface Way {
        /** Returns the bytes to pass on; an empty array ends the connection. */
        byte[] of(byte[] bytes) throws IOException, InterruptedException;
    }

    private void pump(Socket from, Socket to, Way way) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[BUFFER];
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                byte[] passed = way.of(Arrays.copyOf(buffer, n));
                if (passed.length == 0) {
                    break;
                }
                out.write(passed);
                out.flush();
            }
        } catch (IOException | InterruptedException gone) {
            // the other side is closed below
        }
        reset();
    }

    private byte[] request(byte[] bytes) throws IOException, InterruptedException {
        Matcher head = REQUEST.matcher(latin(bytes));
        if (head.find()) {
            asked = head.group(1) + " " + head.group(2);
        }
        if (!trouble.passesHalfOpen()) {
            return new byte[0];
        }
        if (trouble.is(Fault.SLOW)) {
            trouble.hit(Fault.SLOW);
            Surroundings.pass(trouble.delayMillis());
        }
        if (trouble.is(Fault.DISK_FULL) && isWrite()) {
            trouble.hit(Fault.DISK_FULL);
            refuse();
            return new byte[0];
        }
        return isFeed() && head.find(0) ? rewound(bytes, head.end()) : bytes;
    }

    private byte[] answer(byte[] bytes) throws IOException, InterruptedException {
        if (!trouble.passesHalfOpen()) {
            return new byte[0];
        }
        if (trouble.is(Fault.LOSE_ANSWERS) && isWrite()) {
            trouble.hit(Fault.LOSE_ANSWERS);
            return new byte[0];
        }
        boolean cut = trouble.is(Fault.CUT_FEEDS) || trouble.is(Fault.REWIND_FEEDS);
        if (cut && isFeed()) {
            trouble.hit(Fault.CUT_FEEDS);
            client.getOutputStream().write(bytes, 0, trouble.part(bytes.length));
            client.getOutputStream().flush();
            return new byte[0];
        }
        return bytes;
    }

    private boolean isWrite() {
        return asked.startsWith("PUT ") || asked.startsWith("DELETE ") || asked.contains("/_bulk_docs");
    }

    private boolean isFeed() {
        return asked.contains("/_changes");
    }

    /** Answers instead of the server, and waits until the client closes the connection. */
    private void refuse() throws IOException {
        String answer = "HTTP/1.1 507 Insufficient Storage\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + "Content-Length: " + FULL.length() + "\r\n\r\n" + FULL;
        client.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
        client.shutdownOutput();
        client.setSoTimeout(1_000);
        byte[] rest = new byte[BUFFER];
        while (client.getInputStream().read(rest) > 0) {
            // skip the rest of the request
        }
    }

    private byte[] rewound(byte[] bytes, int endOfFirstLine) {
        String text = latin(bytes);
        Matcher since = SINCE.matcher(text.substring(0, endOfFirstLine));
        if (!since.find()) {
            return bytes;
        }
        String line = since.replaceFirst("$1" + Matcher.quoteReplacement(trouble.position(since.group(2))));
        return (line + text.substring(endOfFirstLine)).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}

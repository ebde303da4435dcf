package io.couchjobs.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An open answer, read line by line on a thread of its own. A heartbeat is an empty line. */
final class Feed implements AutoCloseable {
    private static final String END = "the server ended the answer";

    private final HttpResponse<InputStream> response;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    Feed(HttpResponse<InputStream> response) {
        this.response = response;
        Thread reader = new Thread(this::read, "feed");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            // Closed by the test.
        }
        lines.add(END);
    }

    String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** The next line, heartbeats included; fails after thirty seconds without one. */
    String nextLine() {
        return nextLine(deadline());
    }

    /** The next line that is not a heartbeat; fails after thirty seconds of silence or heartbeats. */
    String nextText() {
        long deadline = deadline();
        String line = nextLine(deadline);
        while (line.isBlank()) {
            line = nextLine(deadline);
        }
        return line;
    }

    private static long deadline() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    }

    private String nextLine(long deadline) {
        try {
            String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null || deadline < System.nanoTime()) {
                throw new AssertionError("not told within 30 s");
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    JsonNode nextRow() {
        return Json.json(nextText());
    }

    /** The heartbeat shows that the server has the request and its position. */
    void awaitHeartbeat() {
        while (!nextLine().isEmpty()) {
            // The head of a long poll's answer.
        }
    }

    boolean endsNow() {
        return nextText().equals(END);
    }

    @Override
    public void close() throws IOException {
        response.body().close();
    }
}

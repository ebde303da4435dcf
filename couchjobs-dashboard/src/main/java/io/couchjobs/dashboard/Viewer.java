package io.couchjobs.dashboard;

import io.couchjobs.job.JobId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event stream of a browser. A browser that is too slow misses events, and is told to load its data again. Thread-safe. */
final class Viewer {
    private static final int MOST_WAITING = 30;
    private static final long HEARTBEAT_SECONDS = 15;
    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] RESET = frame("reset", "{}");
    private static final byte[] END = new byte[0];

    private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final @Nullable JobId watched;

    Viewer(@Nullable JobId watched) {
        this.watched = watched;
    }

    static byte[] frame(String event, String json) {
        return ("event: " + event + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    /** {@return the job whose page the browser shows} */
    Optional<JobId> watched() {
        return Optional.ofNullable(watched);
    }

    synchronized void tell(byte[] frame) {
        if (!waiting.offer(frame)) {
            waiting.clear();
            waiting.add(RESET);
        }
    }

    synchronized void end() {
        waiting.clear();
        waiting.add(END);
    }

    /** Writes events until the browser disconnects or {@link #end} is called. */
    void serve(OutputStream out) throws IOException, InterruptedException {
        out.write("retry: 2000\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
        while (true) {
            byte[] frame = waiting.poll(HEARTBEAT_SECONDS, TimeUnit.SECONDS);
            if (frame == END) {
                return;
            }
            out.write(frame == null ? HEARTBEAT : frame);
            out.flush();
        }
    }
}

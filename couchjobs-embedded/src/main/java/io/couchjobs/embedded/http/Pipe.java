package io.couchjobs.embedded.http;

import io.couchjobs.embedded.cluster.Stage;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes that one actor writes and another actor reads. Its buffer is unlimited; time passes only while actors wait.
 * Only the actor that has the turn uses the pipe.
 */
final class Pipe extends InputStream {
    private final Stage stage;
    private final Deque<byte[]> chunks = new ArrayDeque<>();
    private @Nullable Consumer<Boolean> reader;
    private boolean ended;
    private boolean broken;
    private boolean closed;

    Pipe(Stage stage) {
        this.stage = stage;
    }

    void put(byte[] bytes, int from, int length) throws IOException {
        if (closed) {
            throw new IOException("The client went away.");
        }
        if (length > 0) {
            chunks.add(Arrays.copyOfRange(bytes, from, from + length));
            wake();
        }
    }

    /** Marks the end of the stream. */
    void end() {
        ended = true;
        wake();
    }

    /** Breaks the stream. Unless it has ended, the reader gets an exception after the bytes so far. */
    void cut() {
        broken = !ended;
        end();
    }

    private void wake() {
        Consumer<Boolean> waiting = reader;
        reader = null;
        if (waiting != null) {
            waiting.accept(true);
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        while (chunks.isEmpty() && !ended && !closed) {
            Boolean woken = stage.ask(then -> reader = then);
            assert woken;
        }
        byte[] first = chunks.poll();
        if (first == null && broken) {
            throw new IOException("The connection broke.");
        }
        return first == null ? -1 : taken(first, bytes, from, length);
    }

    /** Reads the rest of the stream. Does not copy a body that was written in one piece. */
    @Override
    public byte[] readAllBytes() throws IOException {
        boolean isWhole = ended && !broken && chunks.size() == 1;
        return isWhole ? chunks.remove() : super.readAllBytes();
    }

    private int taken(byte[] first, byte[] bytes, int from, int length) {
        int count = Math.min(length, first.length);
        System.arraycopy(first, 0, bytes, from, count);
        if (count < first.length) {
            chunks.addFirst(Arrays.copyOfRange(first, count, first.length));
        }
        return count;
    }

    @Override
    public int available() {
        return chunks.isEmpty() ? 0 : chunks.element().length;
    }

    @Override
    public void close() {
        closed = true;
        chunks.clear();
        wake();
    }
}

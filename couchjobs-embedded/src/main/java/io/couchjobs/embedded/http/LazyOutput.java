package io.couchjobs.embedded.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Buffers the beginning of an answer. A short answer is sent whole, with its length. An error while the buffer is filled can
 * still be reported with its status.
 */
final class LazyOutput extends OutputStream {
    private static final int HELD_BACK = 64 << 10;
    private static final String JSON = "application/json";

    private final Call call;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private @Nullable OutputStream out;

    LazyOutput(Call call) {
        this.call = call;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        if (out != null) {
            out.write(bytes, from, length);
            return;
        }
        held.write(bytes, from, length);
        if (held.size() > HELD_BACK) {
            out = call.stream(200, JSON);
            held.writeTo(out);
        }
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
        } else {
            call.answer(200, JSON, held.toByteArray());
        }
    }
}

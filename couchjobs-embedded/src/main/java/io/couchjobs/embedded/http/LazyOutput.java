package io.couchjobs.embedded.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Holds the beginning of an answer back. A short answer is sent whole, with its length. After an error in the first part, an
 * error can still be answered.
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

package io.couchjobs.engine.couch;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** An input stream that fails when it exceeds a limit. */
public class LimitedInput extends FilterInputStream {

    /** Thrown when the limit is exceeded. */
    static final class TooMuch extends IOException {
        private static final long serialVersionUID = 1L;

        TooMuch(long limit) {
            super("it is longer than " + limit + " bytes");
        }
    }

    private final long limit;
    private long read;

    public LimitedInput(InputStream in, long limit) {
        super(in);
        this.limit = limit;
    }

    /** Resets the count of bytes to zero. */
    public final void restart() {
        read = 0;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        count(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int count = super.read(buffer, offset, length);
        count(Math.max(0, count));
        return count;
    }

    /** Does nothing, because closing an answer's body reads its rest, which may never end. Close the answer instead. */
    @Override
    public void close() {}

    public void count(int bytes) throws IOException {
        read += bytes;
        if (read > limit) {
            throw new TooMuch(limit);
        }
    }
}

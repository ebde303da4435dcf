package io.couchjobs.process;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A stream of a program. It tells a reader that waits for bytes from one that has not yet read the bytes that are there. After the
 * end of the program, only a waiting reader shows that no more output comes. Read by one thread.
 */
final class Reading extends FilterInputStream {
    private static final long LOOK_MILLIS = 100;
    /** Silence is counted in looks, not in time, because time may pass while the machine is suspended. */
    private static final int SILENT_LOOKS = 10;

    /** So many reads drain a pipe: what comes after them is of a background process that the program left behind. */
    private static final int DRAINED = 20;

    private static final int MOST_LOOKS = 300;

    /** How often a wait for bytes has begun or ended: odd while the reader waits. */
    private final AtomicLong waits = new AtomicLong();

    Reading(InputStream stream) {
        super(stream);
    }

    @Override
    public int read() throws IOException {
        waits.incrementAndGet();
        try {
            return super.read();
        } finally {
            waits.incrementAndGet();
        }
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
        waits.incrementAndGet();
        try {
            return super.read(bytes, from, count);
        } finally {
            waits.incrementAndGet();
        }
    }

    /** Waits until the reader has read all that the program wrote, which has ended; false when that lasts too long. */
    boolean awaitRest(Thread reader) throws InterruptedException {
        int silent = 0;
        int reads = 0;
        for (int looks = 0; looks < MOST_LOOKS && reader.isAlive(); looks++) {
            long before = waits.get();
            reader.join(LOOK_MILLIS);
            boolean isSame = waits.get() == before;
            silent = isSame && before % 2 == 1 ? silent + 1 : 0;
            reads += isSame ? 0 : 1;
            if (silent == SILENT_LOOKS || reads == DRAINED) {
                return true;
            }
        }
        return !reader.isAlive();
    }
}

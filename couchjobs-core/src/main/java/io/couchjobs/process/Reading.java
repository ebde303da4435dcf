package io.couchjobs.process;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An output stream of a program, which records whether its reader waits for bytes or still has bytes to read. After the end of the
 * program, only a waiting reader shows that no more output will come. Read by one thread.
 */
final class Reading extends FilterInputStream {
    private static final long LOOK_MILLIS = 100;
    /**
     * The number of checks in which the reader waits before the output counts as complete. Not a duration, because time passes
     * while the machine is suspended.
     */
    private static final int SILENT_LOOKS = 10;

    /** The number of reads that surely drain a pipe: later output comes from a background process that the program left behind. */
    private static final int DRAINED = 20;

    private static final int MOST_LOOKS = 300;

    /** The number of times that a wait for bytes began or ended: odd while the reader waits. */
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

    /** Waits until the reader has read all output of the program, which has ended. Returns false when this takes too long. */
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

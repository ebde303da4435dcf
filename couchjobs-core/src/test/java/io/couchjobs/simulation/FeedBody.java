package io.couchjobs.simulation;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;

/** What comes of a feed. It breaks when the server is silent for too long, in virtual time, and now and then by chance. */
final class FeedBody extends FilterInputStream {
    private final SimulatedProcess process;
    private final Duration longestSilence;
    private final double breaks;
    private boolean isCut;

    /**
     * The body of an answer.
     *
     * @param breaks how likely each reading breaks it
     */
    FeedBody(SimulatedProcess process, Duration longestSilence, double breaks, InputStream body) {
        super(body);
        this.process = process;
        this.longestSilence = longestSilence;
        this.breaks = breaks;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (process.random().nextDouble() < breaks) {
            cut();
        }
        try {
            int read = process.stage().within(longestSilence, () -> unchecked(bytes, from, length));
            if (isCut) {
                throw new IOException("The connection broke.");
            }
            return read;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Breaks the connection. */
    void cut() throws IOException {
        isCut = true;
        close();
    }

    private int unchecked(byte[] bytes, int from, int length) {
        try {
            return super.read(bytes, from, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

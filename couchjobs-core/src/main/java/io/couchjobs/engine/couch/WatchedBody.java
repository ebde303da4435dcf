package io.couchjobs.engine.couch;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;

/** A body that is sent in parts, and tells how many of them the server has taken. */
final class WatchedBody extends HttpEntityWrapper {
    static final int PART = 64 * 1024;

    private final AtomicLong taken = new AtomicLong();
    private volatile boolean isSent;

    WatchedBody(HttpEntity body) {
        super(body);
    }

    long taken() {
        return taken.get();
    }

    /** Whether all of it was sent: what comes now is the answer. */
    boolean isSent() {
        return isSent;
    }

    @Override
    public void writeTo(OutputStream connection) throws IOException {
        super.writeTo(new Parts(connection));
        isSent = true;
    }

    private final class Parts extends FilterOutputStream {
        Parts(OutputStream connection) {
            super(connection);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            for (int from = 0; from < length; from += PART) {
                out.write(bytes, offset + from, Math.min(PART, length - from));
                var unused = taken.incrementAndGet();
            }
        }
    }
}

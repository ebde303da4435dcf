package io.couchjobs.engine.couch;

import io.couchjobs.engine.time.Lane;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;

/**
 * The body of a request that is aborted if the server does not read the next part in time. A socket timeout limits reads
 * only, so a write to a frozen server would block forever.
 */
final class WatchedBody extends HttpEntityWrapper {
    private static final int PART = 64 * 1024;

    private final HttpUriRequestBase request;
    private final Lane lane;
    private final Duration longestSilence;

    /** @param lane aborts the request */
    WatchedBody(HttpEntity body, HttpUriRequestBase request, Lane lane, Duration longestSilence) {
        super(body);
        this.request = request;
        this.lane = lane;
        this.longestSilence = longestSilence;
    }

    @Override
    public void writeTo(OutputStream connection) throws IOException {
        super.writeTo(new Parts(connection));
    }

    private final class Parts extends FilterOutputStream {
        Parts(OutputStream connection) {
            super(connection);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            for (int from = 0; from < length; from += PART) {
                Lane.Planned end = lane.schedule(longestSilence, request::abort);
                try {
                    out.write(bytes, offset + from, Math.min(PART, length - from));
                } finally {
                    end.cancel();
                }
            }
        }
    }
}

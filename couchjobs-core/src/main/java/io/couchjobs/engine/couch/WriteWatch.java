package io.couchjobs.engine.couch;

import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.HttpEntity;

/**
 * Breaks off a request whose body the server does not take any more. The timeout of a socket limits readings only, so a write to a
 * frozen server would last for ever.
 */
final class WriteWatch {
    private final HttpUriRequestBase request;
    private final WatchedBody body;
    private final Lane lane;
    private final Duration longestSilence;
    private long taken = -1;
    private boolean isOver;
    private Lane.Planned next;

    private WriteWatch(HttpUriRequestBase request, WatchedBody body, Lane lane, Duration longestSilence) {
        this.request = request;
        this.body = body;
        this.lane = lane;
        this.longestSilence = longestSilence;
        this.next = lane.schedule(longestSilence, this::look);
    }

    static WriteWatch begin(HttpUriRequestBase request, HttpEntity body, Lane lane, Duration longestSilence) {
        WatchedBody watched = new WatchedBody(body);
        request.setEntity(watched);
        return new WriteWatch(request, watched, lane, longestSilence);
    }

    synchronized void end() {
        isOver = true;
        next.cancel();
    }

    private synchronized void look() {
        if (isOver || body.isSent()) {
            return;
        }
        if (taken == body.taken()) {
            request.abort();
        } else {
            taken = body.taken();
            next = lane.schedule(longestSilence, this::look);
        }
    }
}

package io.couchjobs.engine.scope;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.job.Listening;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeState;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits until nothing waits or runs in a scope that was stopped. Thread-safe; one per stop. */
public final class Drain implements Feed.Listener {
    private final Tools tools;
    private final Scope scope;
    private long changes;

    Drain(Tools tools, Scope scope) {
        this.tools = tools;
        this.scope = scope;
    }

    /** False when the time is over, or the scope was started again. */
    boolean await(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Listening listening = tools.parts().feed().listen(this);
        try {
            return isEmptyBefore(deadline);
        } finally {
            listening.close();
        }
    }

    private boolean isEmptyBefore(long deadline) throws InterruptedException {
        while (true) {
            long seen = changes();
            tools.clearance().clear(scope);
            if (ScopeCounts.unfinished(tools.parts().index().counts(scope.jobType())) == 0) {
                return true;
            }
            boolean again =
                    tools.scopes().read(scope).filter(ScopeState::isRunning).isPresent();
            if (again || !isChangedBefore(deadline, seen)) {
                return false;
            }
        }
    }

    @Override
    public void changed(FeedEvent event) {
        changed(event.docId());
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return false;
    }

    @Override
    public void unread(FeedNotice notice) {
        changed(notice.docId());
    }

    @Override
    public synchronized void gap() {
        changes++;
        notifyAll();
    }

    private void changed(String docId) {
        if (docId.startsWith(DocIds.JOB + scope.jobType() + ":") || docId.equals(scope.docId())) {
            gap();
        }
    }

    private synchronized long changes() {
        return changes;
    }

    private synchronized boolean isChangedBefore(long deadline, long seen) throws InterruptedException {
        while (changes == seen) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }
}

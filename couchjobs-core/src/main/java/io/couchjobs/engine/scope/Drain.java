package io.couchjobs.engine.scope;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.time.Deadline;
import io.couchjobs.engine.time.Signal;
import io.couchjobs.job.Listening;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Scopes;
import java.time.Duration;

/** Waits until no job waits or runs in a scope that was stopped. Each stop has its own instance. Thread-safe. */
public final class Drain implements FeedListener {
    private final Tools tools;
    private final Scope scope;
    private final Signal changed;

    Drain(Tools tools, Scope scope) {
        this.tools = tools;
        this.scope = scope;
        this.changed = new Signal(tools.parts().store().environment());
    }

    /** Returns whether the scope is empty; false when the timeout is over or the scope was started again. */
    boolean await(Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.after(tools.parts().store().environment(), timeout);
        Listening listening = tools.parts().feed().listen(this);
        try {
            return isEmptyBefore(deadline);
        } finally {
            listening.close();
        }
    }

    private boolean isEmptyBefore(Deadline deadline) throws InterruptedException {
        // On a cluster, the copy that answers may not have the last change yet. So the scope counts as empty only when
        // it is empty twice.
        boolean mayLag = tools.parts().store().isCluster();
        boolean wasEmpty = !mayLag;
        while (true) {
            tools.clearance().clear(scope);
            boolean isEmpty =
                    ScopeCounts.unfinished(tools.parts().index().counts().of(scope.jobType())) == 0;
            if (isEmpty && wasEmpty) {
                return true;
            }
            boolean again =
                    tools.scopes().read(scope).filter(Scopes.State::isRunning).isPresent();
            if (again || deadline.nanosLeft() == 0) {
                return false;
            }
            Duration left = deadline.left();
            Duration pause = mayLag && left.compareTo(QueueScopeHost.LAG) > 0 ? QueueScopeHost.LAG : left;
            boolean isChanged = changed.await(pause);
            wasEmpty = !mayLag || (isEmpty && !isChanged);
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
    public void gap() {
        changed.give();
    }

    private void changed(String docId) {
        if (docId.startsWith(DocIds.JOB + scope.jobType() + ":") || docId.equals(scope.docId())) {
            gap();
        }
    }
}

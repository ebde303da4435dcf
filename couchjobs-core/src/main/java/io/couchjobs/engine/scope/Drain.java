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

/** Waits until nothing waits or runs in a scope that was stopped. Thread-safe; one per stop. */
public final class Drain implements FeedListener {
    private final Tools tools;
    private final Scope scope;
    private final Signal changed;

    Drain(Tools tools, Scope scope) {
        this.tools = tools;
        this.scope = scope;
        this.changed = new Signal(tools.parts().store().environment());
    }

    /** False when the time is over, or the scope was started again. */
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
        while (true) {
            tools.clearance().clear(scope);
            if (ScopeCounts.unfinished(tools.parts().index().counts().of(scope.jobType())) == 0) {
                return true;
            }
            boolean again =
                    tools.scopes().read(scope).filter(Scopes.State::isRunning).isPresent();
            if (again || deadline.nanosLeft() == 0) {
                return false;
            }
            changed.await(deadline.left());
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

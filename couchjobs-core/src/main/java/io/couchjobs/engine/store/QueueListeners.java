package io.couchjobs.engine.store;

import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.QueueListener;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards notifications to all listeners of a queue, in order. An exception of one listener is logged and does not affect
 * the other listeners. Immutable and thread-safe.
 */
final class QueueListeners implements QueueListener {
    private static final Logger log = LoggerFactory.getLogger(QueueListeners.class);

    private final List<QueueListener> listeners;

    QueueListeners(List<? extends QueueListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public JobRequest adding(JobRequest request) {
        JobRequest changed = request;
        for (QueueListener listener : listeners) {
            try {
                changed = listener.adding(changed);
            } catch (Throwable e) {
                failed(e);
            }
        }
        return changed;
    }

    @Override
    public void added(AddResult result) {
        tell(listener -> listener.added(result));
    }

    @Override
    public void claimed(Job before, Job claimed) {
        tell(listener -> listener.claimed(before, claimed));
    }

    @Override
    public void claimLost(Job job) {
        tell(listener -> listener.claimLost(job));
    }

    @Override
    public void changed(String docId, String rev) {
        tell(listener -> listener.changed(docId, rev));
    }

    private void tell(Consumer<QueueListener> news) {
        for (QueueListener listener : listeners) {
            try {
                news.accept(listener);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    private static void failed(Throwable failure) {
        log.error("a listener of the queue failed; nothing else is changed by that", failure);
    }
}

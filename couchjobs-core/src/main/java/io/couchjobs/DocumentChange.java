package io.couchjobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.job.Job;
import java.util.Optional;

/** A change of a document in a queue's database. Immutable and thread-safe. */
@Experimental
public final class DocumentChange {
    private final FeedEvent event;

    DocumentChange(FeedEvent event) {
        this.event = event;
    }

    /** {@return the document's {@code _id}} */
    public String docId() {
        return event.docId();
    }

    /** {@return the revision that the change created, such as {@code 3-...}} */
    public String rev() {
        return event.rev();
    }

    /** {@return the generation of the revision: the number of writes to the document} */
    public long generation() {
        return event.generation();
    }

    /** {@return whether the document was deleted} */
    public boolean isDeleted() {
        return event.deleted();
    }

    /** {@return a copy of the present document; empty when it was deleted or cannot be read} */
    public Optional<ObjectNode> document() {
        return event.deleted()
                ? Optional.empty()
                : Optional.ofNullable(event.document()).map(ObjectNode::deepCopy);
    }

    /**
     * {@return the job, if the document is a job and was not deleted; without attached data, see {@link JobMonitor#withData(Job)}}
     */
    public Optional<Job> job() {
        return event.job();
    }

    static FeedListener told(Listener listener) {
        return new FeedListener() {
            @Override
            public void changed(FeedEvent event) {
                listener.changed(new DocumentChange(event));
            }

            @Override
            public void gap() {
                listener.gap();
            }
        };
    }

    /** Listens for every change of any document of a queue. Called by one thread at a time. Must be quick and must not wait. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Called when a document has changed. A change may be reported twice, late, or after a later change.
         *
         * @param change the change
         */
        void changed(DocumentChange change);

        /** Called when changes may have been missed, so that everything reported before may be outdated. */
        default void gap() {}
    }
}

package io.couchjobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.job.Job;
import java.util.Optional;

/** A document of a queue's database changed. Immutable and thread-safe. */
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

    /** {@return the revision that the change made, such as {@code 3-...}} */
    public String rev() {
        return event.rev();
    }

    /** {@return how many writes the document has seen} */
    public long generation() {
        return event.generation();
    }

    /** {@return whether the document is gone} */
    public boolean isDeleted() {
        return event.deleted();
    }

    /** {@return a copy of the document as it is now; empty when it is gone or cannot be read} */
    public Optional<ObjectNode> document() {
        return event.deleted()
                ? Optional.empty()
                : Optional.ofNullable(event.document()).map(ObjectNode::deepCopy);
    }

    /** {@return the job, if the document is one and still there; without attached data, see {@link JobMonitor#withData(Job)}} */
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

    /** Hears of every change of any document of a queue. Called by one thread at a time; must be quick, and never wait. */
    @FunctionalInterface
    public interface Listener {
        /**
         * A document changed. A change may be told twice, late, or after a later one.
         *
         * @param change what changed
         */
        void changed(DocumentChange change);

        /** Changes may have been missed: nothing that was heard before is certain any more. */
        default void gap() {}
    }
}

package io.couchjobs.engine.feed;

import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * A listener that is in no hurry, and needs neither the documents of jobs and logs nor each change. An implementation may
 * need the documents of some changes.
 */
public interface PatientListener extends FeedListener {
    @Override
    default boolean needsDocument(FeedNotice notice) {
        return false;
    }

    @Override
    default boolean needsEach() {
        return false;
    }

    @Override
    default Duration patience() {
        return LATER;
    }

    /**
     * Returns a listener that gets the id and the revision of each change that the feed reports. It does not keep the feed
     * from skipping changes.
     */
    static PatientListener ofRevisions(BiConsumer<String, String> hearer) {
        return new PatientListener() {
            @Override
            public void changed(FeedEvent event) {
                hearer.accept(event.docId(), event.rev());
            }

            @Override
            public void unread(FeedNotice notice) {
                hearer.accept(notice.docId(), notice.rev());
            }
        };
    }
}

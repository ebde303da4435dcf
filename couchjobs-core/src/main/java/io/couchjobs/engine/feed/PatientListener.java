package io.couchjobs.engine.feed;

import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * A listener for which the feed need not read the documents of jobs and logs, nor hurry, nor bring each change. It may say for which
 * changes it needs them.
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

    /** Hears of the id of each document that changed, and its revision, when the others have the feed read it. */
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

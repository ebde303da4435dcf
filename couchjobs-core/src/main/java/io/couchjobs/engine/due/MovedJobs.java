package io.couchjobs.engine.due;

import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.job.Job;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that changed or were taken while an index is being read. The index may still have their former states. Not
 * thread-safe.
 */
final class MovedJobs {
    private final int most;
    private final Set<String> moved = new HashSet<>();
    /** The changed jobs that were not read, with the numbers of their revisions. The index may have these revisions already. */
    private final Map<String, Long> unread = new HashMap<>();

    private int reads;

    MovedJobs(int most) {
        this.most = most;
    }

    void beginRead() {
        reads++;
    }

    void endRead() {
        reads--;
        if (!isReading()) {
            moved.clear();
            unread.clear();
        }
    }

    boolean isReading() {
        return reads > 0;
    }

    void add(String docId) {
        if (isReading()) {
            if (moved.size() >= most) {
                moved.clear(); // costs a lost claim for each job that the index then brings back
            }
            moved.add(docId);
        }
    }

    void addUnread(String docId, String rev) {
        if (isReading() && unread.size() < most) {
            unread.put(docId, Rev.generation(rev));
        }
    }

    /** Returns whether the index has a newer state of a job than all that is known of the job. */
    boolean isNews(Job indexed, @Nullable Job known) {
        String docId = indexed.id().docId();
        return !moved.contains(docId)
                && Fences.generation(indexed) >= unread.getOrDefault(docId, 0L)
                && (known == null || Fences.generation(known) < Fences.generation(indexed));
    }
}

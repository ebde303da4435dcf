package io.couchjobs.dashboard.view;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers when the last counted run of each job ended, because changes may arrive twice or repeat an earlier end. The jobs that
 * were silent longest are forgotten. Not thread-safe.
 */
public final class CountedEnds {
    private static final int MOST_REMEMBERED = 20_000;

    private final Map<String, Long> ends = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    /** Creates an instance that remembers nothing. */
    public CountedEnds() {}

    /**
     * Remembers an end, unless a later one of the job is known.
     *
     * @param docId the job's document
     * @param end when its run ended, in epoch milliseconds
     * @return whether to count the run
     */
    public boolean add(String docId, long end) {
        Long before = ends.get(docId);
        boolean isNew = before == null || before < end;
        if (isNew) {
            ends.put(docId, end);
        }
        return isNew;
    }
}

package io.couchjobs.telemetry;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Measures the lag of the changes feed: the time from the answer to one of this process's own writes until the feed reports that
 * write. Only this process's clock is used. One write is measured at a time. Thread-safe.
 */
final class FeedLag {
    private static final Pattern REVISION = Pattern.compile("(\\d{1,9})-.*");
    /** The time after which a measurement is given up: a later write has replaced the revision, or there is no feed. */
    private static final long PATIENCE = Duration.ofMinutes(1).toNanos();

    private static final int MOST_REMEMBERED = 256;

    private final LongSupplier nanos;
    private final Consumer<Duration> record;
    /** The revisions that the feed has reported. The feed may report a write before its answer arrives. */
    private final Map<String, Long> heard = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    private @Nullable Written followed;

    FeedLag(LongSupplier nanos, Consumer<Duration> record) {
        this.nanos = nanos;
        this.record = record;
    }

    /** Notes that a write was answered. */
    synchronized void written(String docId, String rev) {
        long now = nanos.getAsLong();
        if (followed != null && now - followed.at < PATIENCE) {
            return;
        }
        long generation = generation(rev);
        Long told = heard.get(docId);
        if (told != null && told >= generation) {
            record.accept(Duration.ZERO);
        } else {
            followed = new Written(docId, generation, now);
        }
    }

    /** Notes that the feed reported a document. */
    synchronized void heard(String docId, String rev) {
        long generation = generation(rev);
        heard.remove(docId);
        heard.put(docId, generation);
        if (followed != null && followed.docId.equals(docId) && generation >= followed.generation) {
            long lag = nanos.getAsLong() - followed.at;
            if (lag < PATIENCE) {
                record.accept(Duration.ofNanos(lag));
            }
            followed = null;
        }
    }

    /** Returns the generation of a revision, or 0 for a text that is not a revision. */
    private static long generation(String rev) {
        Matcher revision = REVISION.matcher(rev);
        return revision.matches() ? Long.parseLong(revision.group(1)) : 0;
    }

    private record Written(String docId, long generation, long at) {}
}

package io.couchjobs.engine.history;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.feed.PatientListener;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sums up, in the document of the hour, the runs that the workers of a queue recorded and the number of jobs that wait. One
 * of all the workers does so in every minute in which anything happened. Thread-safe.
 *
 * <p>The worker that collected has the next turn, too. The others hear by the feed that it collects, and read the document
 * only when they hear nothing. The document itself says which worker has the turn, so the write that takes the turn also
 * writes the sums. Two workers that collect at the same time count nothing twice.
 */
final class Collector implements PatientListener, AutoCloseable {
    /** By this time after the minute, workers have written their runs if they can. */
    static final Duration AFTER_THE_MINUTE = Duration.ofSeconds(20);

    private static final Logger log = LoggerFactory.getLogger(Collector.class);
    private static final Duration SPREAD = Duration.ofSeconds(10);
    /**
     * The longest time between readings of the document. Workers that close also write the document, so such a write does
     * not prove that another worker collects.
     */
    private static final Duration LOOK_ANYHOW = Duration.ofMinutes(10);

    private final QueueParts parts;
    private final HistoryStore store;
    private final String worker;
    private final ServerClock clock;
    private final Environment environment;
    private final Lane lane;
    private final Alarm collecting;
    /** The number of the last bucket of each instance that this collector added. */
    private Map<String, Long> taken = Map.of();

    private volatile boolean isPlanned;
    private volatile long heardNanos;
    private long lookedNanos;
    private boolean isOurTurn;
    private Listening listening = () -> {};

    Collector(QueueParts parts, HistoryStore store, String worker) {
        this.parts = parts;
        this.store = store;
        this.worker = worker;
        this.clock = parts.clock();
        this.environment = parts.store().environment();
        this.lane = environment.lane("couchjobs-history-collector-" + worker, 1);
        this.collecting = new Alarm(lane, this::run);
        this.heardNanos = clock.nanos();
        this.lookedNanos = heardNanos - LOOK_ANYHOW.toNanos();
    }

    void start() {
        listening = parts.feed().listen(this);
    }

    @Override
    public void changed(FeedEvent event) {
        heard(event.docId());
    }

    @Override
    public void unread(FeedNotice notice) {
        heard(notice.docId());
    }

    @Override
    public void gap() {
        plan();
    }

    private void heard(String docId) {
        if (docId.startsWith(DocIds.JOB) || docId.startsWith(HistoryIds.WORKERS)) {
            plan();
        } else if (store.ids().hourOf(docId).isPresent()) {
            heardNanos = clock.nanos();
        }
    }

    private void plan() {
        if (!isPlanned) {
            isPlanned = true;
            Instant now = clock.instant();
            Instant next = now.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
            collecting.within(Duration.between(now, next)
                    .plus(AFTER_THE_MINUTE)
                    .plusMillis(environment.random().nextLong(SPREAD.toMillis())));
        }
    }

    private void run() {
        isPlanned = false;
        try {
            look();
        } catch (RuntimeException | Error later) {
            log.debug("the history is not brought up to date now: {}", later.toString());
            plan();
        }
    }

    /** Collects when it may be this worker's turn. */
    void look() {
        if (isOurTurn || isToLook()) {
            collect();
        }
    }

    private boolean isToLook() {
        long now = clock.nanos();
        return now - heardNanos >= HourDocument.TURN.toNanos() || now - lookedNanos >= LOOK_ANYHOW.toNanos();
    }

    /** Collects, unless another worker has the turn. */
    void collect() {
        lookedNanos = clock.nanos();
        Instant now = clock.instant();
        isOurTurn = isOurTurn || !store.hour(now).isTurnOfAnother(worker, now);
        if (isOurTurn) {
            List<Bucket> buckets = store.buckets();
            Map<Boolean, List<Bucket>> byPresence = buckets.stream()
                    .filter(this::isFresh)
                    .collect(Collectors.partitioningBy(bucket -> isOfHour(bucket, now)));
            takeTurn(now, byPresence.getOrDefault(true, List.of()), waiting());
            if (isOurTurn) {
                store.merge(byPresence.getOrDefault(false, List.of()), now);
                taken = lastOf(buckets);
            }
        }
    }

    private void takeTurn(Instant now, Collection<Bucket> ofThisHour, Map<String, Long> waiting) {
        store.changeHour(now, hour -> {
            isOurTurn = !hour.isTurnOfAnother(worker, now);
            if (isOurTurn) {
                hour.takeTurn(worker, now);
                hour.merge(ofThisHour);
                hour.waiting(now, waiting);
            }
        });
    }

    private boolean isFresh(Bucket bucket) {
        return taken.getOrDefault(bucket.instance(), 0L) < bucket.number();
    }

    private static boolean isOfHour(Bucket bucket, Instant now) {
        return HistoryIds.startOfHour(bucket.minute()).equals(HistoryIds.startOfHour(now));
    }

    private static Map<String, Long> lastOf(Collection<Bucket> buckets) {
        return buckets.stream().collect(Collectors.toMap(Bucket::instance, Bucket::number, Math::max));
    }

    private Map<String, Long> waiting() {
        Map<String, Long> waiting = new HashMap<>();
        parts.index().counts().byTypeHere().forEach((type, jobs) -> {
            long pending = jobs.getOrDefault(JobStatus.WAITING, 0L) + jobs.getOrDefault(JobStatus.STUCK, 0L);
            if (pending > 0) {
                waiting.put(type, pending);
            }
        });
        return waiting;
    }

    @Override
    public void close() {
        listening.close();
        lane.close();
    }
}

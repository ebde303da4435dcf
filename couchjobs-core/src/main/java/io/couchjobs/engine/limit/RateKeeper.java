package io.couchjobs.engine.limit;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.SharedView;
import io.couchjobs.engine.store.SharedWriter;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.type.Rate;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reserves starts of types with a rate, several at a time. One document per type has the number reserved in its window.
 * Starts that a worker reserved and did not use are lost when the window ends. So a crash makes a rate lower, never
 * higher. Thread-safe; its monitor is never held during I/O.
 */
final class RateKeeper {
    private static final String WINDOW = "window";
    private static final String LENGTH = "length";
    private static final String RESERVED = "reserved";
    private static final int MOST_ATTEMPTS = 5;

    private final JobStore store;
    private final SharedWriter shared;
    private final ServerClock clock;
    /** The starts that are reserved here and not used yet, by type. */
    private final Map<String, Reserve> reserves = new HashMap<>();
    /** The latest known documents, by document id; an empty object when there is none. */
    private final Map<String, ObjectNode> documents = new HashMap<>();

    RateKeeper(JobStore store, ServerClock clock) {
        this.store = store;
        this.shared = new SharedWriter(store.database());
        this.clock = clock;
    }

    /** Takes in an event of the feed. */
    synchronized void changed(FeedEvent event) {
        if (event.docId().startsWith(DocIds.RATE)) {
            if (event.deleted() || event.document() == null) {
                documents.remove(event.docId());
            } else if (documents.containsKey(event.docId())) {
                heard(event.docId(), event.document());
            }
        }
    }

    /** Forgets the documents, because changes may have been missed. Reserved starts stay reserved. */
    synchronized void forget() {
        documents.clear();
    }

    /** Returns how many jobs may be started now, as far as is known: by starts that are reserved, or could be. */
    int room(String type, Rate rate) {
        ObjectNode document = document(type);
        synchronized (this) {
            long window = rate.windowOf(clock.instant());
            Reserve reserve = reserve(type, rate, window);
            return reserve.left + Math.min(free(document, rate, window), reserve.most());
        }
    }

    /** Returns in how many milliseconds the next window begins. */
    long millisUntilNext(Rate rate) {
        Instant now = clock.instant();
        return Math.max(1, rate.windowOf(now) + rate.window().toMillis() - now.toEpochMilli());
    }

    /**
     * Reserves starts.
     *
     * @param now the time at which the jobs will be said to have started
     * @return how many starts were reserved, at most as many as wanted
     */
    int take(String type, Rate rate, int wanted, Instant now) {
        long window = rate.windowOf(now);
        int granted = use(type, rate, wanted, window);
        try {
            for (int i = 0;
                    i < MOST_ATTEMPTS && granted < wanted && reserveMore(type, rate, wanted - granted, window);
                    i++) {
                granted += use(type, rate, wanted - granted, window);
            }
        } catch (RuntimeException trouble) {
            giveBack(type, granted, now);
            throw trouble;
        }
        return rate.windowOf(clock.instant()) == window ? granted : 0;
    }

    /**
     * Gives back starts that were taken and not used. Starts of a window that is over are lost.
     *
     * @param taken the time with which the starts were taken
     */
    synchronized void giveBack(String type, int starts, Instant taken) {
        Reserve reserve = reserves.get(type);
        if (starts > 0 && reserve != null && reserve.window == reserve.rate.windowOf(taken)) {
            reserves.put(type, reserve.with(starts, 0));
        }
    }

    private synchronized int use(String type, Rate rate, int wanted, long window) {
        Reserve reserve = reserve(type, rate, window);
        int granted = Math.min(wanted, reserve.left);
        if (granted > 0) {
            reserves.put(type, reserve.with(-granted, 0));
        }
        return granted;
    }

    private synchronized Reserve reserve(String type, Rate rate, long window) {
        Reserve reserve = reserves.get(type);
        return reserve != null && reserve.window == window && reserve.rate.equals(rate)
                ? reserve
                : new Reserve(rate, window, 0, 0);
    }

    /** Writes once. Returns false when no start is left to reserve. */
    private boolean reserveMore(String type, Rate rate, int wanted, long window) {
        return store.isCluster()
                ? reserveOfAll(type, rate, wanted, window)
                : reserveOf(document(type), type, rate, wanted, window);
    }

    /**
     * Reserves starts on a cluster. The leaf that readers see may lack confirmed reservations, so all leaves count.
     * Starts on a contested leaf are not granted.
     */
    private boolean reserveOfAll(String type, Rate rate, int wanted, long window) {
        SharedView view = shared.view(docId(type));
        List<ObjectNode> counted = view.standing();
        ObjectNode document = counted.isEmpty() ? JsonNodeFactory.instance.objectNode() : counted.get(0);
        boolean isNext = counted.stream().anyMatch(leaf -> isNext(leaf, rate, window));
        long used = counted.stream().mapToLong(leaf -> used(leaf, rate, window)).sum();
        int free = isNext ? 0 : (int) Math.max(0, rate.starts() - used);
        int chunk = chunk(free, type, rate, wanted, window);
        remember(type, document);
        if (chunk <= 0) {
            return false;
        }
        ObjectNode next = next(document, type, rate, window, used + chunk);
        try {
            Optional<String> done = shared.write(view, next);
            if (done.isPresent()) {
                reserved(type, rate, window, chunk, next.put("_rev", done.get()));
            } else {
                forget(type);
            }
            return true;
        } catch (UnconfirmedException cutOff) {
            forget(type);
            return false;
        }
    }

    private int chunk(int free, String type, Rate rate, int wanted, long window) {
        return Math.min(Math.min(free, reserve(type, rate, window).most()), Math.max(wanted, rate.chunk()));
    }

    private synchronized void remember(String type, ObjectNode document) {
        documents.put(docId(type), document);
    }

    private boolean reserveOf(ObjectNode document, String type, Rate rate, int wanted, long window) {
        int chunk = chunk(free(document, rate, window), type, rate, wanted, window);
        if (chunk <= 0) {
            return false;
        }
        ObjectNode next = next(document, type, rate, window, used(document, rate, window) + chunk);
        WriteResult written =
                WriteRefusedException.check(store.writer().join(store.writer().writeSoon(next)));
        if (written instanceof WriteResult.Stored stored) {
            reserved(type, rate, window, chunk, next.put("_rev", stored.rev()));
        } else {
            forget(type);
        }
        return true;
    }

    private ObjectNode next(ObjectNode document, String type, Rate rate, long window, long reserved) {
        ObjectNode next = JsonNodeFactory.instance.objectNode().put("_id", docId(type));
        if (document.hasNonNull("_rev")) {
            next.put("_rev", document.path("_rev").asText());
        }
        return next.put(WINDOW, window)
                .put(LENGTH, rate.window().toMillis())
                .put(RESERVED, reserved)
                // Two workers that write the same body would get the same revision, and both would have these starts.
                .put("by", store.environment().uuid().toString());
    }

    private synchronized void reserved(String type, Rate rate, long window, int chunk, ObjectNode document) {
        heard(docId(type), document);
        reserves.put(type, reserve(type, rate, window).with(chunk, chunk));
    }

    private synchronized void forget(String type) {
        documents.remove(docId(type));
    }

    private void heard(String docId, ObjectNode document) {
        ObjectNode known = documents.get(docId);
        if (known == null || generation(known) <= generation(document)) {
            documents.put(docId, document);
        }
    }

    /** Returns the document id of a type's rate. Each site counts its own starts. */
    private String docId(String type) {
        return DocIds.RATE + type + store.site().suffix();
    }

    private static long generation(ObjectNode document) {
        return Rev.generation(document.path("_rev").asText());
    }

    private ObjectNode document(String type) {
        synchronized (this) {
            ObjectNode known = documents.get(docId(type));
            if (known != null) {
                return known;
            }
        }
        ObjectNode read = store.database().get(docId(type)).orElseGet(JsonNodeFactory.instance::objectNode);
        synchronized (this) {
            heard(docId(type), read);
            return read;
        }
    }

    private static int free(ObjectNode document, Rate rate, long window) {
        return isNext(document, rate, window) ? 0 : (int) Math.max(0, rate.starts() - used(document, rate, window));
    }

    /**
     * Returns whether the document is of the next window. A clock that is a little ahead may begin it; only a wrong
     * clock begins a later one.
     */
    private static boolean isNext(ObjectNode document, Rate rate, long window) {
        return length(document) == rate.window().toMillis()
                && document.path(WINDOW).asLong() == window + rate.window().toMillis();
    }

    /**
     * Returns how many of the document's starts count in a window. After a change of the rate, the document has a
     * window of another length. Then its starts count in proportion to the time that both windows share.
     */
    private static long used(ObjectNode document, Rate rate, long window) {
        long begun = document.path(WINDOW).asLong();
        long ended = begun + length(document);
        long common = Math.min(ended, window + rate.window().toMillis()) - Math.max(begun, window);
        long reserved = Math.max(0, document.path(RESERVED).asLong());
        return common <= 0 ? 0 : (long) Math.ceil((double) reserved * common / (ended - begun));
    }

    private static long length(ObjectNode document) {
        return document.path(LENGTH).asLong();
    }

    /**
     * The starts that this process reserved in a window.
     *
     * @param left the starts that are not used yet
     * @param all all starts that it reserved, whatever the document says: processes whose clocks are windows apart
     *     overwrite each other's counts
     */
    private record Reserve(Rate rate, long window, int left, int all) {
        Reserve with(int moreLeft, int more) {
            return new Reserve(rate, window, left + moreLeft, all + more);
        }

        /** Returns how many more starts it may reserve. */
        int most() {
            return rate.starts() - all;
        }
    }
}

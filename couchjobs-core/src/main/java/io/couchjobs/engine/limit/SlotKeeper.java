package io.couchjobs.engine.limit;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Job;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the slots of limited types and gives them back, and finds slots that dead workers left. Thread-safe; its
 * monitor is never held during I/O, because the feed's thread needs it.
 */
final class SlotKeeper {
    private static final Logger log = LoggerFactory.getLogger(SlotKeeper.class);
    private static final int MOST_UNLUCKY = 10_000;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final QueueParts parts;
    private final String worker;
    private final Runnable onMoreRoom;
    private final SlotReader reader;
    private final Map<String, SlotTable> tables = new HashMap<>();
    /** The feed's events about a type while it is being read for the first time. */
    private final Map<String, Loading> loading = new HashMap<>();

    private final LeftSlots left;
    /** The pauses of slots that several workers wanted at once and none got. */
    private final Map<SlotName, Backoff> unlucky = new HashMap<>();
    /** Completes when all slots that were given back so far are free, or the attempt has failed. */
    private CompletableFuture<?> givingBack = CompletableFuture.completedFuture(null);

    SlotKeeper(QueueParts parts, String worker, Runnable onMoreRoom) {
        this.parts = parts;
        this.worker = worker;
        this.onMoreRoom = onMoreRoom;
        this.reader = new SlotReader(parts);
        this.left = new LeftSlots(parts.store(), reader, this::isGone);
    }

    /** Takes in an event of the feed, and returns whether there may be more room now. */
    boolean changed(FeedEvent event) {
        boolean more;
        Optional<Slot> leftOver;
        synchronized (this) {
            if (tables.isEmpty() && loading.isEmpty()) {
                return false;
            }
            String type = typeOf(event.docId());
            Loading underWay = loading.get(type);
            if (underWay != null) {
                underWay.meanwhile.add(event);
            }
            SlotTable table = tables.get(type);
            if (table == null) {
                return false;
            }
            more = reader.apply(table, event);
            leftOver = reader.slot(event).filter(table::isLeftOver);
        }
        leftOver.ifPresent(this::giveBack);
        return more;
    }

    /** Returns whether the slots and owners of a type are known, and must be kept up to date. */
    synchronized boolean isKnown(String type) {
        return tables.containsKey(type) || loading.containsKey(type);
    }

    /** Returns whether the slots and owners of any type are known, and must be kept up to date. */
    synchronized boolean knowsAny() {
        return !tables.isEmpty() || !loading.isEmpty();
    }

    /** Forgets the slots and owners of all types, because changes may have been missed. */
    synchronized void forget() {
        tables.clear();
        loading.clear();
    }

    /** Forgets the slots and owners of a type that is no longer limited. */
    synchronized void forget(String type) {
        tables.remove(type);
    }

    /** Makes sure that the slots of a type are known, and checks the slots that may be unused. */
    void prepare(String type) {
        left.takeAway(type);
        List<Slot> doubtful;
        synchronized (this) {
            doubtful = tables.containsKey(type)
                    ? table(type).doubtful(parts.clock().nanos())
                    : List.of();
        }
        load(type);
        if (!doubtful.isEmpty()) {
            examine(doubtful);
            left.takeAway(type);
        }
    }

    /** Returns whether a slot is free, as far as is known. A type whose slots are unknown has no free slot. */
    synchronized boolean hasRoom(SlotName.Limited limited, int limit) {
        SlotTable table = tables.get(limited.type());
        return table != null && !table.room(limited, limit).isEmpty();
    }

    /** Returns in how many nanoseconds a check is due, if nothing changes; {@link Long#MAX_VALUE} for never. */
    synchronized long untilDoubtful(String type) {
        SlotTable table = tables.get(type);
        return table == null
                ? Long.MAX_VALUE
                : table.untilDoubtful(parts.clock().nanos());
    }

    /**
     * Picks a free slot for a job and keeps it from being picked again.
     *
     * @return the slot, yet to be taken; empty when none is free
     */
    synchronized Optional<Slot> pick(SlotName.Limited limited, int limit, Job job, String token) {
        if (!hasRoom(limited, limit)) {
            return Optional.empty();
        }
        SlotTable table = table(limited.type());
        List<Integer> room = table.room(limited, limit);
        // The tokens differ, so two workers seldom pick the same slot.
        int index = room.get(Math.floorMod(token.hashCode(), room.size()));
        Slot slot = Slot.wanted(
                new SlotName(limited, index), job, token, parts.clock().nanos());
        table.put(slot);
        return Optional.of(slot);
    }

    /** Releases a picked slot that is not wanted after all. */
    synchronized void unpick(Slot wanted) {
        table(wanted).forget(wanted);
    }

    /**
     * Takes slots, all in one request. A slot counts as taken only when a majority of the copies confirmed it.
     *
     * @return for each wanted slot, in the same order, the slot that was taken, or null
     */
    List<@Nullable Slot> take(List<Slot> wanted) {
        try {
            List<CompletableFuture<WriteResult>> writes = wanted.stream()
                    .map(slot -> parts.store().writer().writeSoon(slot.document(worker)))
                    .toList();
            List<@Nullable Slot> taken = new ArrayList<>();
            for (int i = 0; i < wanted.size(); i++) {
                taken.add(outcome(wanted.get(i), parts.store().writer().join(writes.get(i))));
            }
            wanted.stream().map(slot -> slot.name().limited().type()).distinct().forEach(left::takeAwayIfPossible);
            return taken;
        } catch (RuntimeException e) {
            wanted.forEach(this::unpick);
            wanted.forEach(left::add);
            throw e;
        }
    }

    private synchronized @Nullable Slot outcome(Slot wanted, WriteResult written) {
        if (WriteRefusedException.check(written) instanceof WriteResult.Stored stored) {
            Slot taken = wanted.withRev(stored.rev());
            table(taken).took(taken);
            unlucky.remove(taken.name());
            return taken;
        } else if (written instanceof WriteResult.Accepted accepted) {
            left.add(wanted.withRev(accepted.rev()));
            leaveAlone(wanted.name());
        } else {
            left.add(wanted);
        }
        return null;
    }

    /** Leaves a slot alone for a random pause. Otherwise the same workers would want the slot at the same moment again. */
    private void leaveAlone(SlotName name) {
        if (unlucky.size() >= MOST_UNLUCKY) {
            unlucky.clear();
        }
        Duration pause = unlucky.computeIfAbsent(
                        name, first -> new Backoff(parts.store().environment(), FIRST_PAUSE, LONGEST_PAUSE))
                .next();
        table(name.limited().type()).leaveAlone(name, parts.clock().nanos() + pause.toNanos());
    }

    /** Gives a slot back with the next request that is sent. If that fails, the slot is taken away later. */
    void giveBack(Slot slot) {
        try {
            CompletableFuture<WriteResult> writing = parts.store()
                    .writer()
                    .writeSoon(slot.tombstone())
                    .whenComplete((written, trouble) -> gaveBack(slot, written, trouble));
            synchronized (this) {
                givingBack = CompletableFuture.allOf(givingBack, writing);
            }
        } catch (IllegalStateException closed) {
            log.debug("{} is left for others to take away: {}", slot.name().docId(), closed.getMessage());
        }
    }

    /** Waits until the slots that this process has given back are free, or the attempt has failed. */
    void awaitGivenBack() throws InterruptedException {
        CompletableFuture<?> underWay;
        synchronized (this) {
            underWay = givingBack;
        }
        boolean unused = parts.store().environment().await(underWay, Environment.FOREVER);
    }

    private void gaveBack(Slot slot, @Nullable WriteResult written, @Nullable Throwable trouble) {
        synchronized (this) {
            if (written instanceof WriteResult.Stored) {
                table(slot).get(slot.name()).filter(slot::isTwinOf).ifPresent(left::add);
                table(slot).gaveBack(slot);
            } else {
                log.debug("{} was not given back yet: {}", slot.name().docId(), trouble == null ? written : trouble);
                left.add(slot);
            }
        }
        onMoreRoom.run();
    }

    /** {@return those of the owners whose claims are over, too} */
    private synchronized List<Slot> isGone(Slot former, List<Slot> owners) {
        SlotTable table = table(former);
        table.gaveBack(former);
        owners.forEach(table::read);
        return owners.stream().filter(table::isOver).toList();
    }

    private void load(String type) {
        Loading begun;
        synchronized (this) {
            if (tables.containsKey(type)) {
                return;
            }
            begun = loading.computeIfAbsent(type, alone -> new Loading());
            begun.readers++;
        }
        try {
            SlotTable loaded = reader.read(type);
            synchronized (this) {
                if (loading.remove(type, begun)) {
                    begun.meanwhile.forEach(event -> reader.apply(loaded, event));
                    tables.put(type, loaded);
                }
            }
        } finally {
            synchronized (this) {
                if (--begun.readers == 0) {
                    loading.remove(type, begun); // events of the feed are not kept for a read that failed
                }
            }
        }
    }

    private void examine(List<Slot> doubtful) {
        Map<String, Job> jobs =
                reader.jobs(doubtful.stream().map(Slot::job).distinct().toList());
        for (Slot slot : doubtful) {
            Job job = jobs.get(slot.job());
            SlotReader.Use use = reader.use(slot, job, parts.clock().nanos());
            synchronized (this) {
                if (use == SlotReader.Use.UNUSED) {
                    log.debug(
                            "nobody uses {} any more; it is taken away",
                            slot.name().docId());
                    left.add(slot);
                } else {
                    table(slot).found(slot, use, job, parts.clock().nanos());
                }
            }
        }
    }

    private SlotTable table(Slot slot) {
        return table(slot.name().limited().type());
    }

    /** Returns the table of a type. Changes of an unknown type go to a table that is thrown away. */
    private SlotTable table(String type) {
        SlotTable table = tables.get(type);
        return table == null ? new SlotTable() : table;
    }

    private static String typeOf(String docId) {
        String[] parts = docId.split(":", 3);
        boolean ours = docId.startsWith(DocIds.SLOT) || docId.startsWith(DocIds.JOB);
        return ours && parts.length == 3 ? parts[1] : "";
    }

    /** A read of the slots and owners of a type, perhaps by several threads. Compared by identity. */
    private static final class Loading {
        /** The feed's events since the first of these threads began. */
        private final List<FeedEvent> meanwhile = new ArrayList<>();
        /** The number of threads that read. */
        private int readers;
    }
}

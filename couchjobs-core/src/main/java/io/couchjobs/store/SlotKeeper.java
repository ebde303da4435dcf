package io.couchjobs.store;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
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
 * Takes the slots of limited types and gives them back, and finds out which ones dead workers left. Thread-safe; its monitor
 * is never held during I/O, because the feed's thread needs it.
 */
final class SlotKeeper {
    private static final Logger log = LoggerFactory.getLogger(SlotKeeper.class);

    private final Acceptor.Parts parts;
    private final String worker;
    private final Runnable onMoreRoom;
    private final SlotReader reader;
    private final Map<String, SlotTable> tables = new HashMap<>();
    /** What the feed told of a type while it is being read for the first time. */
    private final Map<String, Loading> loading = new HashMap<>();

    SlotKeeper(Acceptor.Parts parts, String worker, Runnable onMoreRoom) {
        this.parts = parts;
        this.worker = worker;
        this.onMoreRoom = onMoreRoom;
        this.reader = new SlotReader(parts);
    }

    /** Takes in what the feed tells; true when there may be more room now. */
    synchronized boolean changed(FeedEvent event) {
        if (tables.isEmpty() && loading.isEmpty()) {
            return false;
        }
        String type = typeOf(event.docId());
        Loading underWay = loading.get(type);
        if (underWay != null) {
            underWay.meanwhile.add(event);
        }
        SlotTable table = tables.get(type);
        return table != null && reader.apply(table, event);
    }

    /** Whether the slots and owners of a type are known, and must be kept so. */
    synchronized boolean isKnown(String type) {
        return tables.containsKey(type) || loading.containsKey(type);
    }

    /** Changes may have been missed. */
    synchronized void forget() {
        tables.clear();
        loading.clear();
    }

    /** The type is not limited any more. */
    synchronized void forget(String type) {
        tables.remove(type);
    }

    /** Makes sure that the slots of a type are known, and looks after those that may have been left by the dead. */
    void prepare(String type) {
        List<Slot> doubtful;
        synchronized (this) {
            long now = parts.clock().nanos();
            if (tables.containsKey(type) && table(type).isMisled(now)) {
                tables.remove(type);
            }
            doubtful = tables.containsKey(type) ? table(type).doubtful(now) : List.of();
        }
        load(type);
        if (!doubtful.isEmpty()) {
            examine(doubtful);
        }
    }

    /** Whether a slot is free, as far as is known; none is in a type that is not known. */
    synchronized boolean hasRoom(SlotName.Limited limited, int limit) {
        SlotTable table = tables.get(limited.type());
        return table != null && !table.room(limited, limit).isEmpty();
    }

    /** In how many nanoseconds it is worth a look, if nothing changes. */
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
    synchronized Optional<Wanted> pick(SlotName.Limited limited, int limit, Job job, String token) {
        if (!hasRoom(limited, limit)) {
            return Optional.empty();
        }
        SlotTable table = table(limited.type());
        List<Integer> room = table.room(limited, limit);
        // Workers begin at different ends, so that they seldom want the same one.
        int index = room.get(Math.floorMod(token.hashCode(), room.size()));
        Slot slot = Slot.wanted(
                new SlotName(limited, index), job, token, parts.clock().nanos());
        String over = table.get(slot.name()).map(Slot::rev).orElse("");
        table.put(slot);
        return Optional.of(new Wanted(slot, over));
    }

    /** What was picked is not wanted after all. */
    synchronized void unpick(Wanted wanted) {
        table(wanted.slot).forget(wanted.slot);
    }

    /**
     * Takes slots, all in one request.
     *
     * @return in the same order, the slot when it is ours, or null
     */
    List<@Nullable Slot> take(List<Wanted> wanted) {
        try {
            List<CompletableFuture<WriteResult>> writes = wanted.stream()
                    .map(one -> parts.store().writeSoon(one.slot.document(worker, one.over)))
                    .toList();
            List<@Nullable Slot> taken = new ArrayList<>();
            for (int i = 0; i < wanted.size(); i++) {
                taken.add(outcome(wanted.get(i).slot, parts.store().join(writes.get(i))));
            }
            return taken;
        } catch (RuntimeException e) {
            wanted.forEach(this::unpick);
            throw e;
        }
    }

    /** Only what a quorum confirmed is ours; what it did not is withdrawn. */
    private @Nullable Slot outcome(Slot wanted, WriteResult written) {
        if (written instanceof WriteResult.Stored stored) {
            Slot taken = wanted.withRev(stored.rev());
            synchronized (this) {
                table(taken).took(taken);
            }
            return taken;
        }
        synchronized (this) {
            table(wanted).lost(wanted, parts.clock().nanos());
        }
        if (written instanceof WriteResult.Accepted accepted) {
            giveBack(wanted.withRev(accepted.rev()));
        } else if (written instanceof WriteResult.Refused refused) {
            throw new WriteRefusedException(refused);
        }
        return null;
    }

    /** Gives a slot back with the next request that is sent; when that fails, others find out that nobody uses it. */
    void giveBack(Slot slot) {
        try {
            var unused = parts.store()
                    .writeSoon(slot.tombstone())
                    .whenComplete((written, trouble) -> gaveBack(slot, written, trouble));
        } catch (IllegalStateException closed) {
            log.debug("{} is left for others to take over: {}", slot.name().docId(), closed.getMessage());
        }
    }

    private void gaveBack(Slot slot, @Nullable WriteResult written, @Nullable Throwable trouble) {
        if (written instanceof WriteResult.Stored) {
            synchronized (this) {
                table(slot).gaveBack(slot);
            }
            onMoreRoom.run();
        } else {
            log.debug("{} was not given back: {}", slot.name().docId(), trouble == null ? written : trouble);
        }
    }

    private void load(String type) {
        Loading begun;
        synchronized (this) {
            if (tables.containsKey(type)) {
                return;
            }
            begun = loading.computeIfAbsent(type, alone -> new Loading());
        }
        SlotTable loaded = reader.read(type);
        synchronized (this) {
            if (loading.remove(type, begun)) {
                begun.meanwhile.forEach(event -> reader.apply(loaded, event));
                tables.put(type, loaded);
            }
        }
    }

    private void examine(List<Slot> doubtful) {
        Map<String, Job> jobs =
                reader.jobs(doubtful.stream().map(Slot::job).distinct().toList());
        for (Slot slot : doubtful) {
            Job job = jobs.get(slot.job());
            Slot.Phase phase = reader.examine(slot, job);
            synchronized (this) {
                table(slot).found(slot, job, phase, parts.clock().nanos());
            }
            if (phase == Slot.Phase.ABANDONED) {
                log.debug(
                        "{} was left behind by a worker that is gone",
                        slot.name().docId());
                onMoreRoom.run();
            }
        }
    }

    private SlotTable table(Slot slot) {
        return table(slot.name().limited().type());
    }

    /** What is not known (any more) swallows what is told of it. */
    private SlotTable table(String type) {
        SlotTable table = tables.get(type);
        return table == null ? new SlotTable() : table;
    }

    private static String typeOf(String docId) {
        String[] parts = docId.split(":", 3);
        boolean ours = docId.startsWith(SlotName.PREFIX) || docId.startsWith(JobId.PREFIX);
        return ours && parts.length == 3 ? parts[1] : "";
    }

    /** A slot that is yet to be taken, over a document that nobody uses (or none). */
    record Wanted(Slot slot, String over) {}

    /** Slots and owners of a type are being read, perhaps by several threads; known by its identity. */
    private static final class Loading {
        /** What the feed has told since the first of them began. */
        private final List<FeedEvent> meanwhile = new ArrayList<>();
    }
}

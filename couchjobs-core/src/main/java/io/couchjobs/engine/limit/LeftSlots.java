package io.couchjobs.engine.limit;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slots of claims that are over or failed, until they are taken away. Some copy may still have a leaf of these slots.
 * Thread-safe; its monitor is never held during I/O.
 */
final class LeftSlots {
    private static final Logger log = LoggerFactory.getLogger(LeftSlots.class);
    private static final int MOST_ROUNDS = 6;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final JobStore store;
    private final SlotReader reader;
    private final BiFunction<Slot, List<Slot>, List<Slot>> takenAway;
    private final Set<Slot> left = new LinkedHashSet<>();

    /**
     * @param takenAway receives a slot that was taken away and its present owners; returns the owners whose claims are
     *     over, too
     */
    LeftSlots(JobStore store, SlotReader reader, BiFunction<Slot, List<Slot>, List<Slot>> takenAway) {
        this.store = store;
        this.reader = reader;
        this.takenAway = takenAway;
    }

    synchronized void add(Slot slot) {
        left.add(slot);
    }

    /** Takes away the slots of a type. If that fails, it is repeated before slots are picked again. */
    void takeAwayIfPossible(String type) {
        try {
            takeAway(type);
        } catch (CouchException trouble) {
            log.debug("slots of {} could not be looked at: {}", type, trouble.toString());
        }
    }

    /** Deletes the leaves that ended or failed claims left at some copies, and finds out the present owners of their slots. */
    void takeAway(String type) {
        List<Slot> slots = remove(type);
        Backoff backoff = new Backoff(store.environment(), FIRST_PAUSE, LONGEST_PAUSE);
        try {
            boolean goesOn = !slots.isEmpty();
            while (goesOn) {
                slots = takeAway(slots);
                goesOn = !slots.isEmpty() && backoff.attempts() < MOST_ROUNDS && backoff.pauseUnlessInterrupted();
            }
        } finally {
            addAll(slots);
        }
    }

    private synchronized List<Slot> remove(String type) {
        List<Slot> slots = left.stream()
                .filter(slot -> slot.name().limited().type().equals(type))
                .toList();
        slots.forEach(left::remove);
        return slots;
    }

    private synchronized void addAll(List<Slot> slots) {
        left.addAll(slots);
    }

    /**
     * {@return the slots to take away next: those of present owners whose claims are over, too} A slot that cannot be read
     * waits for the next attempt.
     */
    private List<Slot> takeAway(List<Slot> slots) {
        store.database()
                .bulkRevisions(slots.stream()
                        .filter(slot -> !slot.rev().isEmpty())
                        .map(Slot::deletion)
                        .toList());
        List<Optional<List<Slot>>> owners =
                reader.owners(slots.stream().map(Slot::name).toList());
        List<Slot> still = new ArrayList<>();
        for (int i = 0; i < slots.size(); i++) {
            Slot slot = slots.get(i);
            owners.get(i).ifPresentOrElse(present -> still.addAll(takenAway.apply(slot, present)), () -> add(slot));
        }
        return still;
    }
}

package io.couchjobs.engine.limit;

import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.engine.limit.Slot.Phase;
import io.couchjobs.engine.limit.SlotName.Limited;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import io.couchjobs.job.Lock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The known slots and owned jobs of one limited type: read once, kept up to date by the feed and by the answers to the
 * process's own writes. Not thread-safe.
 *
 * <p>A job that is owned without a slot counts too: it was claimed before there was a limit, or by a process that did
 * not know the limit. Such jobs, and slots beyond a lowered limit, make as many of the <em>last</em> slots below the
 * limit unusable. So workers compete for the same remaining slots, and the revision decides.
 */
final class SlotTable {
    private static final int MOST_REMEMBERED = 10_000;
    /**
     * The most free slots that are listed. A limit may be two billion, but workers that pick one of a thousand at
     * random seldom want the same slot.
     */
    private static final int MOST_ROOM = 1_000;

    private final Map<Limited, Map<Integer, Slot>> taken = new HashMap<>();
    private final Map<String, Set<SlotName>> namesByJob = new HashMap<>();
    private final Map<String, Owner> owners = new HashMap<>();
    /** The times until which slots are left alone, because several workers wanted them at once and none got them. */
    private final Map<SlotName, Long> left = new HashMap<>();
    /**
     * The claims that are over: the revisions of the slots that they gave back, by token. The feed may still report
     * these slots.
     */
    private final Map<String, String> over = RecentMap.byAge(MOST_REMEMBERED);

    private final Map<Counted, List<Integer>> rooms = new HashMap<>();

    /** Returns the slots that may be taken now, or only the first of them when there are very many. */
    List<Integer> room(Limited limited, int limit) {
        return rooms.computeIfAbsent(new Counted(limited, limit), counted -> countRoom(limited, limit));
    }

    private List<Integer> countRoom(Limited limited, int limit) {
        Map<Integer, Slot> slots = taken.getOrDefault(limited, Map.of());
        Set<String> inside = new HashSet<>();
        int used = 0;
        int outside = 0;
        for (Slot slot : slots.values()) {
            boolean isInside = slot.name().index() < limit;
            if (slot.phase() == Phase.CLAIMING) {
                used++;
                outside += isInside ? 0 : 1;
            } else if (isInside) {
                inside.add(slot.token());
            }
        }
        for (Owner owner : owners.values()) {
            if (limited.group() == null || limited.group().equals(owner.group)) {
                used++;
                outside += inside.contains(owner.token) ? 0 : 1;
            }
        }
        int most = Math.min(MOST_ROOM, limit - used);
        List<Integer> room = new ArrayList<>();
        for (int i = 0; i < limit - outside && room.size() < most; i++) {
            if (!slots.containsKey(i) && !left.containsKey(new SlotName(limited, i))) {
                room.add(i);
            }
        }
        return room;
    }

    Optional<Slot> get(SlotName name) {
        return Optional.ofNullable(taken.getOrDefault(name.limited(), Map.of()).get(name.index()));
    }

    /** Takes in a slot's document, or null for its deletion. Returns whether there may be more room now. */
    boolean sawSlot(SlotName name, long generation, @Nullable Slot slot) {
        Optional<Slot> known = get(name);
        if (known.filter(now -> Rev.generation(now.rev()) > generation).isPresent()) {
            return false;
        }
        if (slot == null) {
            boolean isBeingTaken = known.filter(now -> now.rev().isEmpty()).isPresent();
            if (!isBeingTaken) { // otherwise the answer to the write is newer
                remove(name);
            }
            return !isBeingTaken;
        }
        if (!over.containsKey(slot.token())
                && known.filter(now -> now.rev().equals(slot.rev())).isEmpty()) {
            put(slot);
        }
        return false;
    }

    /** Returns whether this process knows that the claim is over. */
    boolean isOver(Slot slot) {
        return over.containsKey(slot.token());
    }

    /** Returns whether a claim that is over left the slot at a copy, in a revision other than the one that was given back. */
    boolean isLeftOver(Slot slot) {
        String givenBack = over.get(slot.token());
        return givenBack != null && !givenBack.equals(slot.rev());
    }

    /** Takes in a slot that is taken, or being taken. */
    void put(Slot slot) {
        remove(slot.name());
        Owner owner = owners.get(slot.job());
        boolean owned = owner != null && owner.token.equals(slot.token());
        taken.computeIfAbsent(slot.name().limited(), p -> new HashMap<>())
                .put(slot.name().index(), owned ? slot.in(Phase.OWNED, slot.sinceNanos()) : slot);
        namesByJob.computeIfAbsent(slot.job(), j -> new HashSet<>()).add(slot.name());
        rooms.clear();
    }

    /** Takes in that a wanted slot was taken, as CouchDB confirmed. */
    void took(Slot slot) {
        if (get(slot.name())
                .filter(now -> Rev.generation(now.rev()) >= Rev.generation(slot.rev()))
                .isEmpty()) {
            put(slot);
        }
    }

    private void remove(SlotName name) {
        Map<Integer, Slot> slots = taken.getOrDefault(name.limited(), Map.of());
        Slot removed = slots.get(name.index());
        if (removed != null) {
            slots.remove(name.index());
            if (slots.isEmpty()) {
                taken.remove(name.limited());
            }
            Set<SlotName> names = namesByJob.getOrDefault(removed.job(), Set.of());
            names.remove(name);
            if (names.isEmpty()) {
                namesByJob.remove(removed.job());
            }
        }
        rooms.clear();
    }

    /** Takes in a taken slot as it was read. */
    void read(Slot slot) {
        Optional<Slot> known = get(slot.name());
        boolean isNewer = known.filter(
                        now -> now.rev().isEmpty() || Rev.generation(now.rev()) >= Rev.generation(slot.rev()))
                .isPresent();
        if (!isNewer && !over.containsKey(slot.token())) {
            put(slot);
        }
    }

    /** Leaves a slot alone, because several workers wanted it at once and none got it. */
    void leaveAlone(SlotName name, long untilNanos) {
        left.put(name, untilNanos);
        rooms.clear();
    }

    /** Takes in that a wanted slot does not exist. */
    void forget(Slot wanted) {
        if (get(wanted.name())
                .filter(slot -> slot.token().equals(wanted.token()))
                .isPresent()) {
            remove(wanted.name());
        }
    }

    /** Takes in that a claim is over and its slot was given back, as CouchDB confirmed. */
    void gaveBack(Slot slot) {
        forget(slot);
        over.put(slot.token(), slot.rev());
        Owner owner = owners.get(slot.job());
        if (owner != null && owner.token.equals(slot.token())) {
            owners.remove(slot.job());
        }
        rooms.clear();
    }

    /** Takes in a job of this type, and returns whether there may be more room now. */
    boolean sawJob(Job job, long nanos) {
        String token = job.lock()
                .map(Lock::token)
                .filter(owner -> !over.containsKey(owner))
                .orElse(null);
        Owner owner = token == null ? null : new Owner(token, job.group(), Fences.generation(job));
        return sawOwner(job.id().docId(), job.rev().orElse(""), owner, nanos);
    }

    /** Takes in the present owner of a job, or null for none. Returns whether there may be more room now. */
    boolean sawOwner(String docId, String rev, @Nullable Owner owner, long nanos) {
        Owner known = owners.get(docId);
        long generation = Rev.generation(rev);
        if (known != null && known.generation > generation) {
            return false;
        }
        if (owner == null) {
            owners.remove(docId);
        } else {
            owners.put(docId, owner);
        }
        boolean ended = known != null && (owner == null || !owner.token.equals(known.token));
        for (SlotName name : List.copyOf(namesByJob.getOrDefault(docId, Set.of()))) {
            Slot slot = get(name).orElseThrow();
            if (owner != null && owner.token.equals(slot.token())) {
                put(slot.in(Phase.OWNED, nanos));
            } else if (slot.isUsed() && generation > Rev.generation(slot.claimOn())) {
                put(slot.in(Phase.ENDED, nanos));
                ended = true;
            }
        }
        if (known != null || owner != null) {
            rooms.clear();
        }
        return ended;
    }

    /** Takes in the result of a check: the slot is in use, or may be soon. */
    void found(Slot slot, SlotReader.Use use, @Nullable Job job, long nanos) {
        if (job != null && job.isLockedBy(slot.token())) {
            sawJob(job, nanos);
        } else if (get(slot.name()).filter(now -> now.rev().equals(slot.rev())).isPresent()) {
            put(use == SlotReader.Use.OWNED ? slot.in(Phase.CLAIMING, nanos) : slot.unchanged(nanos));
        }
    }

    /** Returns the slots whose use must be checked now. Slots that were left alone for long enough may be taken again. */
    List<Slot> doubtful(long nanos) {
        if (left.values().removeIf(until -> until - nanos <= 0)) {
            rooms.clear();
        }
        return unsettled().filter(slot -> slot.lookNanos() - nanos <= 0).toList();
    }

    /** Returns in how many nanoseconds a check is due, if nothing changes; {@link Long#MAX_VALUE} for never. */
    long untilDoubtful(long nanos) {
        return Stream.concat(unsettled().map(Slot::lookNanos), left.values().stream())
                .mapToLong(look -> look - nanos)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private Stream<Slot> unsettled() {
        return taken.values().stream()
                .flatMap(slots -> slots.values().stream())
                .filter(slot -> slot.phase() != Phase.OWNED);
    }

    private record Counted(Limited limited, int limit) {}

    /** The owner of a job. */
    record Owner(String token, String group, long generation) {}
}

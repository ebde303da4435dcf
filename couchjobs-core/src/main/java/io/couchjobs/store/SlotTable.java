package io.couchjobs.store;

import io.couchjobs.job.Job;
import io.couchjobs.job.Lock;
import io.couchjobs.store.Slot.Phase;
import io.couchjobs.store.SlotName.Limited;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of the slots and the owned jobs of one limited type: read once, kept up to date by the feed and by the
 * answers to its own writes. Not thread-safe.
 *
 * <p>A job that is owned without a slot counts too: claimed before there was a limit, or by somebody who knows of none. Such
 * jobs, and slots beyond a lowered limit, make as many of the <em>last</em> slots below the limit unusable, so that workers
 * who race for what is left race for the same slots, and the revision decides.
 */
final class SlotTable {
    /** How long a claim may be on its way before somebody looks what became of it. */
    private static final Duration CLAIMS_WITHIN = Duration.ofSeconds(10);
    /** How long the owner of a job that ended has to give its slot back. */
    private static final Duration GIVES_BACK_WITHIN = Duration.ofSeconds(1);
    /** A slot that was lost to somebody the feed has not told of within this time: what is known here is wrong. */
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(2);

    private static final int MOST_REMEMBERED = 10_000;

    private final Map<Limited, Map<Integer, Slot>> taken = new HashMap<>();
    private final Map<String, Set<SlotName>> namesByJob = new HashMap<>();
    private final Map<String, Owner> owners = new HashMap<>();
    private final Map<SlotName, Long> contested = new HashMap<>();
    /** Claims that are over and whose slots were given back: the feed may yet tell of their beginnings. */
    private final Map<String, Boolean> over = new LinkedHashMap<>();

    private final Map<Counted, List<Integer>> rooms = new HashMap<>();

    /**
     * The slots that may be taken now.
     *
     * @param limit how many jobs may be owned at once
     */
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
        List<Integer> room = new ArrayList<>();
        for (int i = 0; i < limit - outside && room.size() < limit - used; i++) {
            Slot slot = slots.get(i);
            if ((slot == null || slot.phase() == Phase.ABANDONED) && !contested.containsKey(new SlotName(limited, i))) {
                room.add(i);
            }
        }
        return room;
    }

    Optional<Slot> get(SlotName name) {
        return Optional.ofNullable(taken.getOrDefault(name.limited(), Map.of()).get(name.index()));
    }

    /** Takes in a slot's document, or that it is gone (null); true when there may be more room now. */
    boolean sawSlot(SlotName name, String rev, @Nullable Slot slot) {
        Optional<Slot> known = get(name);
        if (known.filter(now -> FeedEvent.generation(now.rev()) > FeedEvent.generation(rev))
                .isPresent()) {
            return false;
        }
        if (slot == null && known.filter(now -> now.rev().isEmpty()).isPresent()) {
            return false; // it is being taken here: the answer to that is newer
        }
        boolean wasContested = contested.remove(name) != null;
        if (slot == null) {
            remove(name);
        } else if (!over.containsKey(slot.token())
                && known.filter(now -> now.rev().equals(rev)).isEmpty()) {
            put(slot);
        }
        rooms.clear();
        return wasContested || slot == null;
    }

    /** Takes in a slot that is being taken, or is. */
    void put(Slot slot) {
        remove(slot.name());
        Owner owner = owners.get(slot.job());
        boolean owned = owner != null && owner.token.equals(slot.token());
        taken.computeIfAbsent(slot.name().limited(), p -> new HashMap<>())
                .put(slot.name().index(), owned ? slot.in(Phase.OWNED, slot.sinceNanos()) : slot);
        namesByJob.computeIfAbsent(slot.job(), j -> new HashSet<>()).add(slot.name());
        rooms.clear();
    }

    /** A slot that was wanted was taken, as CouchDB confirmed. */
    void took(Slot slot) {
        if (get(slot.name())
                .filter(now -> FeedEvent.generation(now.rev()) >= FeedEvent.generation(slot.rev()))
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

    /** A slot that was wanted belongs to somebody else, of whom the feed will tell. */
    void lost(Slot wanted, long nanos) {
        if (get(wanted.name())
                .filter(slot -> slot.token().equals(wanted.token()))
                .isPresent()) {
            remove(wanted.name());
            contested.put(wanted.name(), nanos);
        }
    }

    /** A slot that was wanted is not there. */
    void forget(Slot wanted) {
        if (get(wanted.name())
                .filter(slot -> slot.token().equals(wanted.token()))
                .isPresent()) {
            remove(wanted.name());
        }
    }

    /** The claim is over and its slot was given back, as CouchDB confirmed. */
    void gaveBack(Slot slot) {
        forget(slot);
        over.put(slot.token(), true);
        if (over.size() > MOST_REMEMBERED) {
            over.remove(over.keySet().iterator().next());
        }
        Owner owner = owners.get(slot.job());
        if (owner != null && owner.token.equals(slot.token())) {
            owners.remove(slot.job());
        }
        rooms.clear();
    }

    /** Takes in a job of this type; true when there may be more room now. */
    boolean sawJob(Job job, long nanos) {
        String token = job.lock()
                .map(Lock::token)
                .filter(owner -> !over.containsKey(owner))
                .orElse(null);
        Owner owner = token == null
                ? null
                : new Owner(token, job.group(), FeedEvent.generation(job.rev().orElse("")));
        return sawOwner(job.id().docId(), job.rev().orElse(""), owner, nanos);
    }

    /** Takes in who owns a job now, null for nobody; true when there may be more room now. */
    boolean sawOwner(String docId, String rev, @Nullable Owner owner, long nanos) {
        Owner known = owners.get(docId);
        long generation = FeedEvent.generation(rev);
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
            } else if (slot.isUsed() && generation > FeedEvent.generation(slot.claimOn())) {
                put(slot.in(Phase.ENDED, nanos));
                ended = true;
            }
        }
        if (known != null || owner != null) {
            rooms.clear();
        }
        return ended;
    }

    /** Takes in what somebody found out about a slot; {@link Phase#ENDED} when it has to be looked at again. */
    void found(Slot slot, @Nullable Job job, Phase phase, long nanos) {
        if (phase == Phase.OWNED && job != null) {
            sawJob(job, nanos);
        } else if (get(slot.name()).filter(now -> now.rev().equals(slot.rev())).isPresent()) {
            put(slot.in(phase, nanos));
        }
    }

    /** The slots of which it is time to find out whether they are in use. */
    List<Slot> doubtful(long nanos) {
        return unsettled().filter(slot -> patience(slot, nanos) <= 0).toList();
    }

    /** Whether slots were lost to somebody of whom the feed does not tell. */
    boolean isMisled(long nanos) {
        return contested.values().stream().anyMatch(since -> nanos - since > TOLD_WITHIN.toNanos());
    }

    /** In how many nanoseconds it is worth a look, if nothing changes; very many for never. */
    long untilDoubtful(long nanos) {
        long slots = unsettled().mapToLong(slot -> patience(slot, nanos)).min().orElse(Long.MAX_VALUE);
        return contested.values().stream()
                .mapToLong(since -> since + TOLD_WITHIN.toNanos() - nanos)
                .reduce(slots, Math::min);
    }

    private Stream<Slot> unsettled() {
        return taken.values().stream()
                .flatMap(slots -> slots.values().stream())
                .filter(slot -> slot.phase() == Phase.CLAIMING || slot.phase() == Phase.ENDED);
    }

    private static long patience(Slot slot, long nanos) {
        Duration most = slot.phase() == Phase.CLAIMING ? CLAIMS_WITHIN : GIVES_BACK_WITHIN;
        return slot.sinceNanos() + most.toNanos() - nanos;
    }

    private record Counted(Limited limited, int limit) {}

    /** Who owns a job. */
    record Owner(String token, String group, long generation) {}
}

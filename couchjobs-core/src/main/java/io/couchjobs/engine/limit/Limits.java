package io.couchjobs.engine.limit;

import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.limit.SlotName.Limited;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.type.Limit;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The limits between finding jobs and claiming them: how many of a type, and of a group of it, may be owned at once by
 * all workers together, and how many may be started in a window of time. Thread-safe.
 *
 * <p>Databases that replicate to each other each have limits, slots and rates of their own.
 *
 * <p>Types without limits cost nothing here: no request, no write. A type without room is skipped like a paused one
 * until the feed tells of a slot that was given back, or the next window begins.
 */
public final class Limits {
    private static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final Environment environment;
    private final SettingsStore settings;
    private final ServerClock clock;
    private final SlotKeeper slots;
    private final RateKeeper rates;
    private final @Nullable String site;

    public Limits(QueueParts parts, String worker, Runnable onMoreRoom) {
        this.settings = parts.settings();
        this.clock = parts.clock();
        this.slots = new SlotKeeper(parts, worker, onMoreRoom);
        this.site = parts.store().site().name();
        this.rates = new RateKeeper(parts.store(), parts.clock());
        this.environment = parts.store().environment();
    }

    /** Takes in an event of the feed; true when there may be more room now. */
    public boolean changed(FeedEvent event) {
        rates.changed(event);
        return slots.changed(event);
    }

    /** Whether the documents of changed jobs of a type are needed. */
    public boolean needsDocuments(String type) {
        return slots.isKnown(type);
    }

    /** Changes may have been missed. */
    public void forget() {
        slots.forget();
        rates.forget();
    }

    /** Whether jobs of a type may be claimed now; asks the database when that is not known yet. */
    public boolean isOpen(String type) {
        TypeSettings limits = settings.get(type);
        OptionalInt limit = limits.get(Limit.RUNNING);
        if (limit.isPresent() || limits.get(Limit.RUNNING_PER_GROUP).isPresent()) {
            slots.prepare(type);
        } else {
            slots.forget(type);
        }
        return (limit.isEmpty() || slots.hasRoom(new Limited(type, null, site), limit.getAsInt()))
                && limits.rate().map(rate -> rates.room(type, rate) > 0).orElse(true);
    }

    /** {@return whether the group of a job of an open type has room; asking it needs no I/O} */
    public Capacity groupsWithRoom(Collection<String> types) {
        Map<String, Integer> limits = new HashMap<>();
        for (String type : types) {
            settings.get(type).get(Limit.RUNNING_PER_GROUP).ifPresent(limit -> limits.put(type, limit));
        }
        return limits.isEmpty()
                ? Capacity.FOR_ALL
                : new Capacity(false, job -> {
                    Integer limit = limits.get(job.type());
                    return limit == null || slots.hasRoom(new Limited(job.type(), job.group(), site), limit);
                });
    }

    /** How long there will be no more room than now, if the feed brings no event. */
    public Duration pause(Collection<String> types) {
        Duration pause = NEVER;
        for (String type : types) {
            TypeSettings limits = settings.get(type);
            Duration slot = Duration.ofNanos(Math.max(1_000_000, slots.untilDoubtful(type)));
            Duration rate = limits.rate()
                    .filter(starts -> rates.room(type, starts) <= 0)
                    .map(starts -> Duration.ofMillis(rates.millisUntilNext(type, starts)))
                    .orElse(NEVER);
            Duration first = slot.compareTo(rate) < 0 ? slot : rate;
            pause = first.compareTo(pause) < 0 ? first : pause;
        }
        return pause;
    }

    /**
     * Takes the slots and starts that jobs need, all slots in one request.
     *
     * @return the jobs that got all they need, in their order
     */
    public List<Grant> grant(List<Job> jobs) {
        List<Grant> granted = new ArrayList<>();
        List<Wish> wishes = new ArrayList<>();
        Instant now = clock.instant();
        Map<String, Integer> starts = starts(jobs, now);
        for (Job job : jobs) {
            if (starts.getOrDefault(job.type(), 1) > 0) {
                starts.computeIfPresent(job.type(), (type, left) -> left - 1);
                wish(job).ifPresentOrElse(wishes::add, () -> starts.computeIfPresent(job.type(), (type, n) -> n + 1));
            }
        }
        List<Slot> wanted = wishes.stream().flatMap(wish -> wish.slots.stream()).toList();
        List<@Nullable Slot> taken;
        try {
            taken = wanted.isEmpty() ? List.of() : slots.take(wanted);
        } catch (RuntimeException e) {
            wishes.forEach(wish -> starts.computeIfPresent(wish.job.type(), (type, left) -> left + 1));
            starts.forEach(this::giveBackStarts);
            throw e;
        }
        int next = 0;
        for (Wish wish : wishes) {
            List<@Nullable Slot> own = taken.subList(next, next + wish.slots.size());
            next += wish.slots.size();
            List<Slot> ours = new ArrayList<>();
            own.forEach(slot -> {
                if (slot != null) {
                    ours.add(slot);
                }
            });
            if (ours.size() == own.size()) {
                granted.add(new Grant(wish.job, wish.token, now, ours, starts.containsKey(wish.job.type())));
            } else {
                ours.forEach(slots::giveBack);
                starts.computeIfPresent(wish.job.type(), (type, left) -> left + 1);
            }
        }
        starts.forEach(this::giveBackStarts);
        return granted;
    }

    /** The claim is over, or was lost: its slots are free for others. */
    public void ended(Grant grant) {
        grant.slots.forEach(slots::giveBack);
    }

    /** The claim was lost, and no run was started. No I/O, because other claims of the same request were won. */
    public void lost(Grant grant) {
        ended(grant);
        if (grant.countedStart) {
            giveBackStarts(grant.job.type(), 1);
        }
    }

    /** Reserves the starts of types that have a rate; others are not in the result. */
    private Map<String, Integer> starts(List<Job> jobs, Instant now) {
        Map<String, Integer> wanted = new HashMap<>();
        jobs.stream()
                .filter(job -> settings.get(job.type()).rate().isPresent())
                .forEach(job -> wanted.merge(job.type(), 1, Integer::sum));
        wanted.replaceAll((type, jobsOfType) -> settings.get(type)
                .rate()
                .map(rate -> rates.take(type, rate, jobsOfType, now))
                .orElse(jobsOfType));
        return wanted;
    }

    private void giveBackStarts(String type, int starts) {
        rates.giveBack(type, starts);
    }

    /** Picks the slots that a job needs; empty when no slot of one kind is left. */
    private Optional<Wish> wish(Job job) {
        String token = environment.uuid().toString();
        TypeSettings limits = settings.get(job.type());
        List<Slot> picked = new ArrayList<>();
        boolean all = pick(new Limited(job.type(), null, site), limits.get(Limit.RUNNING), job, token, picked)
                && pick(
                        new Limited(job.type(), job.group(), site),
                        limits.get(Limit.RUNNING_PER_GROUP),
                        job,
                        token,
                        picked);
        if (!all) {
            picked.forEach(slots::unpick);
            return Optional.empty();
        }
        return Optional.of(new Wish(job, token, picked));
    }

    private boolean pick(Limited limited, OptionalInt limit, Job job, String token, List<Slot> picked) {
        if (limit.isEmpty()) {
            return true;
        }
        Optional<Slot> slot = slots.pick(limited, limit.getAsInt(), job, token);
        slot.ifPresent(picked::add);
        return slot.isPresent();
    }

    private record Wish(Job job, String token, List<Slot> slots) {}

    /**
     * A job that may be claimed, by this token and on its very revision. Immutable.
     *
     * @param job the job
     * @param token the token that its slots name
     * @param at the time; a start that a rate allows belongs to the window of this time
     * @param slots its slots; none when its type has no limit
     * @param countedStart whether it used a start that a rate allows
     */
    public record Grant(Job job, String token, Instant at, List<Slot> slots, boolean countedStart) {}
}

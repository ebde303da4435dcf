package io.couchjobs.engine.limit;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.limit.SlotName.Limited;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits between finding jobs and claiming them. They bound how many jobs of a type, and of each of its groups, all
 * workers together may own at once, and how many may be started in a window of time. Thread-safe.
 *
 * <p>Databases that replicate to each other each have limits, slots and rates of their own.
 *
 * <p>Types without limits cost nothing here: no request, no write. A type without room is skipped like a paused one
 * until the feed reports a slot that was given back, or the next window begins.
 */
public final class Limits {
    private static final Logger log = LoggerFactory.getLogger(Limits.class);
    /** The longest wait before the rate of a type is read again: it may be changed while items wait. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

    private final SettingsStore settings;
    private final ServerClock clock;
    private final SlotKeeper slots;
    private final RateKeeper rates;
    private final @Nullable String site;
    private final Environment environment;

    public Limits(QueueParts parts, String worker, Runnable onMoreRoom) {
        this.settings = parts.settings();
        this.clock = parts.clock();
        this.slots = new SlotKeeper(parts, worker, onMoreRoom);
        this.site = parts.store().site().name();
        this.environment = parts.store().environment();
        this.rates = new RateKeeper(parts.store(), parts.clock());
    }

    /** Takes in an event of the feed, and returns whether there may be more room now. */
    public boolean changed(FeedEvent event) {
        rates.changed(event);
        return slots.changed(event);
    }

    /** Returns whether the documents of changed jobs of a type are needed. */
    public boolean needsDocuments(String type) {
        return slots.isKnown(type);
    }

    /** Returns whether the documents of changed jobs of any type are needed. */
    public boolean needAnyDocument() {
        return slots.knowsAny();
    }

    /** Forgets the known slots and rates, because changes may have been missed. */
    public void forget() {
        slots.forget();
        rates.forget();
    }

    /** Returns whether jobs of a type may be claimed now. Asks the database when that is not known yet. */
    public boolean isOpen(String type) {
        TypeSettings limits = settings.get(type);
        OptionalInt limit = limits.get(Limit.RUNNING);
        if (limit.isPresent() || limits.get(Limit.RUNNING_PER_GROUP).isPresent()) {
            slots.prepare(type);
        } else {
            slots.forget(type);
        }
        return (limit.isEmpty() || slots.hasRoom(new Limited(type, null, site), limit.getAsInt()))
                && !isRateUsedUp(type);
    }

    /** Returns whether no job of a type may be started before the next window of its rate. */
    public boolean isRateUsedUp(String type) {
        return settings.get(type)
                .rate()
                .filter(rate -> rates.room(type, rate) <= 0)
                .isPresent();
    }

    /** {@return the capacity of the groups of open types; testing a job needs no I/O} */
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

    /**
     * Returns how long there will be no more room than now, if the feed brings no event. The feed reports when a paused
     * type goes on.
     */
    public Duration pause(Collection<String> types) {
        Duration pause = Environment.FOREVER;
        for (String type : types) {
            TypeSettings limits = settings.get(type);
            if (limits.isPaused()) {
                continue; // its slots are not checked while it is paused, so a check would be due again and again
            }
            Duration slot = Duration.ofNanos(Math.max(1_000_000, slots.untilDoubtful(type)));
            Duration rate = limits.rate()
                    .filter(starts -> rates.room(type, starts) <= 0)
                    .map(starts -> Duration.ofMillis(rates.millisUntilNext(starts)))
                    .orElse(Environment.FOREVER);
            pause = Environment.shorter(pause, Environment.shorter(slot, rate));
        }
        return pause;
    }

    /**
     * Returns whether a type of which no job is owned may have more room in a moment, because a dead owner's slot is
     * about to be free.
     */
    public boolean isRoomComing(String type) {
        return !settings.get(type).isPaused() && slots.untilDoubtful(type) < Long.MAX_VALUE;
    }

    /** Waits until the slots of claims that are over are free for other workers. */
    public void awaitGivenBack() throws InterruptedException {
        slots.awaitGivenBack();
    }

    /**
     * Takes the slots and starts that jobs need, all slots in one request.
     *
     * @return the candidates that got all they need, in their order
     */
    public List<Candidate> grant(List<Candidate> candidates) {
        Instant now = clock.instant();
        Map<String, Integer> starts = new HashMap<>();
        List<Candidate> wishes = new ArrayList<>();
        Iterator<@Nullable Slot> taken;
        try {
            takeStarts(candidates, now, starts);
            candidates.stream().filter(candidate -> reserve(candidate, starts)).forEach(wishes::add);
            taken = take(wishes).iterator();
        } catch (RuntimeException e) {
            wishes.stream().flatMap(wish -> wish.slots().stream()).forEach(slots::unpick);
            wishes.forEach(wish -> unreserve(wish, starts));
            starts.forEach((type, left) -> rates.giveBack(type, left, now));
            throw e;
        }
        List<Candidate> granted = wishes.stream()
                .filter(wish -> takesAll(wish, taken, starts, now))
                .toList();
        starts.forEach((type, left) -> rates.giveBack(type, left, now));
        return granted;
    }

    private List<@Nullable Slot> take(List<Candidate> wishes) {
        List<Slot> wanted =
                wishes.stream().flatMap(wish -> wish.slots().stream()).toList();
        return wanted.isEmpty() ? List.of() : slots.take(wanted);
    }

    /** Reserves a start and slots. Returns false when one kind has none left. */
    private boolean reserve(Candidate candidate, Map<String, Integer> starts) {
        String type = candidate.job().type();
        if (starts.getOrDefault(type, 1) <= 0 || !pickSlots(candidate)) {
            return false;
        }
        starts.computeIfPresent(type, (same, left) -> left - 1);
        return true;
    }

    private static void unreserve(Candidate candidate, Map<String, Integer> starts) {
        candidate.refused();
        starts.computeIfPresent(candidate.job().type(), (type, left) -> left + 1);
    }

    /** Takes the slots of one candidate from the answer. When some are missing, the others are given back. */
    private boolean takesAll(Candidate wish, Iterator<@Nullable Slot> taken, Map<String, Integer> starts, Instant now) {
        List<Slot> ours = new ArrayList<>();
        for (int i = 0; i < wish.slots().size(); i++) {
            Slot slot = taken.next();
            if (slot != null) {
                ours.add(slot);
            }
        }
        if (ours.size() < wish.slots().size()) {
            ours.forEach(slots::giveBack);
            unreserve(wish, starts);
            return false;
        }
        wish.wants(ours);
        wish.granted(now, starts.containsKey(wish.job().type()));
        return true;
    }

    /**
     * Reserves starts for items of a chunk, because a rate counts items. Waits until the rate allows at least one.
     *
     * @param wanted how many items are to be started
     * @param counted how many of them were counted before, with the claim of the chunk
     * @return how many may be started now, from 1 to as many as are wanted
     * @throws InterruptedException when interrupted while it waits
     */
    public int awaitStarts(String type, int wanted, int counted) throws InterruptedException {
        int granted = counted;
        while (true) {
            Duration next = LOOK_AGAIN;
            try {
                Optional<Rate> rate = settings.get(type).rate();
                if (rate.isEmpty()) {
                    return wanted;
                }
                granted += rates.take(type, rate.get(), wanted - granted, clock.instant());
                next = Duration.ofMillis(rates.millisUntilNext(rate.get()));
            } catch (CouchJobsException away) { // not the job's fault: its lease decides how long it waits
                log.debug("items of {} wait, as nobody can tell whether a rate allows them: {}", type, away.toString());
            }
            if (granted > 0) {
                return granted;
            }
            environment.pause(Environment.shorter(next, LOOK_AGAIN));
        }
    }

    /** Gives back the slots of a claim that is over or was lost. */
    public void ended(Candidate candidate) {
        candidate.slots().forEach(slots::giveBack);
    }

    /**
     * Takes in that the claim was lost and no run was started. May be called again for the same claim. Does no I/O,
     * because other claims of the same request were won.
     */
    public void lost(Candidate candidate) {
        ended(candidate);
        if (candidate.giveUpStart()) {
            rates.giveBack(candidate.job().type(), 1, candidate.at());
        }
    }

    /**
     * Takes the starts of types that have a rate.
     *
     * @param starts receives the starts of each type; when a type fails, the caller must give back those of the others
     */
    private void takeStarts(List<Candidate> candidates, Instant now, Map<String, Integer> starts) {
        Map<String, Integer> wanted = new HashMap<>();
        candidates.forEach(candidate -> wanted.merge(candidate.job().type(), 1, Integer::sum));
        wanted.forEach((type, jobs) ->
                settings.get(type).rate().ifPresent(rate -> starts.put(type, rates.take(type, rate, jobs, now))));
    }

    /** Picks the slots that a job needs. Returns false when one kind has none left. */
    private boolean pickSlots(Candidate candidate) {
        Job job = candidate.job();
        TypeSettings limits = settings.get(job.type());
        List<Slot> picked = new ArrayList<>();
        boolean all = pick(null, limits.get(Limit.RUNNING), candidate, picked)
                && pick(job.group(), limits.get(Limit.RUNNING_PER_GROUP), candidate, picked);
        if (all) {
            candidate.wants(picked);
        } else {
            picked.forEach(slots::unpick);
        }
        return all;
    }

    private boolean pick(@Nullable String group, OptionalInt limit, Candidate candidate, List<Slot> picked) {
        if (limit.isEmpty()) {
            return true;
        }
        Limited limited = new Limited(candidate.job().type(), group, site);
        Optional<Slot> slot = slots.pick(limited, limit.getAsInt(), candidate.job(), candidate.token());
        slot.ifPresent(picked::add);
        return slot.isPresent();
    }
}

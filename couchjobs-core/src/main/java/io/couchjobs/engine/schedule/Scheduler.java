package io.couchjobs.engine.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.PatientListener;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.NamedDocuments;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Listening;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.Site;
import io.couchjobs.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the jobs of all schedules when they tick. A process needs one scheduler, and any number of processes may have one.
 * Thread-safe.
 *
 * <p>The scheduler sleeps until the next tick, by the server's clock, and learns of changed schedules from the feed. The process
 * that made a schedule's last job makes the next job at once. Other processes wait a moment, see in the feed that the tick is
 * processed, and need no request. The scheduler survives every failure. If a job cannot be made, its schedule is retried with
 * backoff, without delaying other schedules.
 */
public final class Scheduler implements PatientListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Scheduler.class);
    /** The maximum sleep: a timer does not run while the machine is suspended, and the server's clock may be set meanwhile. */
    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(30);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** The interval of repeated reads on a cluster, because the copies that were read may have been older than the feed. */
    private static final Duration LOAD_AGAIN = Duration.ofSeconds(45);
    /** The time after which schedules are read again when the feed skipped changes. */
    private static final Duration LOAD_SKIPPED = Duration.ofSeconds(30);
    /** The longest pause between attempts to read the schedules. Short, because the server may be back at any time. */
    private static final Duration LONGEST_AWAY = Duration.ofSeconds(3);

    private final NamedDocuments<Schedule> schedules;
    private final TickMaker maker;
    private final ServerClock clock;
    private final Feed feed;
    private final Site site;
    private final BooleanSupplier isCluster;
    private final Environment environment;
    private final Lane lane;
    private final Supplier<Backoff> backoffs;
    private final Backoff loading;
    /** Used only by the lane. */
    private final Map<String, TickAlarm> alarms = new HashMap<>();

    private final Alarm waking;
    private final Alarm loadingSkipped;
    private Listening listening = () -> {};

    /** Creates a scheduler without I/O. */
    public Scheduler(QueueParts parts) {
        this(parts, () -> new Backoff(parts.store().environment(), SHORTEST_PAUSE, LONGEST_PAUSE));
    }

    /** Creates a scheduler with other pauses after failures of a schedule. */
    Scheduler(QueueParts parts, Supplier<Backoff> backoffs) {
        this.backoffs = backoffs;
        this.schedules = QueueSchedules.documents(parts.store());
        this.maker = new TickMaker(parts.store(), parts.clock());
        this.clock = parts.clock();
        this.feed = parts.feed();
        this.site = parts.store().site();
        this.isCluster = parts.store()::isCluster;
        this.environment = parts.store().environment();
        this.lane = environment.lane("couchjobs-scheduler", 1);
        this.waking = Alarm.immediate(lane, () -> guarded(this::wake));
        this.loadingSkipped = Alarm.immediate(lane, () -> guarded(this::load));
        this.loading = new Backoff(environment, SHORTEST_PAUSE, LONGEST_AWAY);
    }

    /**
     * Starts to make jobs.
     *
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached to find the feed's position
     */
    public void start() {
        listening = feed.listen(this);
        run(this::load);
        after(LOAD_AGAIN, this::loadEarlier);
    }

    @Override
    public void changed(FeedEvent event) {
        if (event.docId().startsWith(DocIds.SCHEDULE)) {
            run(() -> {
                apply(event);
                sleep();
            });
        }
    }

    @Override
    public void gap() {
        run(this::load);
    }

    /**
     * Plans to read all schedules later. Each tick reads its schedule anew, so only new schedules and earlier ticks can be missed
     * until then.
     */
    @Override
    public void skipped() {
        loadingSkipped.within(LOAD_SKIPPED);
    }

    /** Retries at once the schedules that failed while the server could not be reached. */
    @Override
    public void reconnected() {
        run(() -> {
            alarms.values().forEach(alarm -> alarm.tryAgain(clock.nanos()));
            wake();
        });
    }

    /** Ends at once. A tick in progress is left to other processes, or to the next start. */
    @Override
    public void close() {
        listening.close();
        lane.close();
    }

    private void load() {
        try {
            Map<String, ObjectNode> all = schedules.readAll();
            alarms.keySet().retainAll(all.keySet());
            all.forEach(this::put);
            loading.reset();
            sleep();
        } catch (RuntimeException | Error e) {
            if (loading.attempts() == 0 && !lane.isClosed()) {
                log.warn("the schedules cannot be read, trying again until they can: {}", e.getMessage());
            }
            after(loading.next(), this::load);
        }
    }

    /**
     * Adds schedules that tick earlier than their alarms, because the copy that was read before lacked them or had an older state.
     */
    private void loadEarlier() {
        after(LOAD_AGAIN, this::loadEarlier);
        if (!isCluster.getAsBoolean()) {
            return;
        }
        try {
            schedules.readAll().forEach(this::putUnlessLater);
            sleep();
        } catch (CouchJobsException away) {
            log.debug("schedules are looked for later: {}", away.toString());
        }
    }

    private void putUnlessLater(String name, ObjectNode document) {
        TickAlarm known = alarms.get(name);
        put(name, document);
        TickAlarm read = alarms.get(name);
        if (known != null && known.isSet() && (read == null || !read.isBefore(known))) {
            alarms.put(name, known);
        }
    }

    private void apply(FeedEvent event) {
        String name = Schedule.nameOf(event.docId());
        if (event.deleted() || event.document() == null) {
            alarms.remove(name);
        } else {
            put(name, event.document());
        }
    }

    private void put(String name, ObjectNode document) {
        try {
            put(Schedule.parse(document));
        } catch (MalformedDocumentException wrong) {
            log.warn("{}; it is left alone until it is changed", wrong.getMessage());
            alarms.remove(name);
        }
    }

    private void put(Schedule schedule) {
        if (!site.owns(schedule.site().orElse(null))) {
            alarms.remove(schedule.name()); // it ticks at another site
            return;
        }
        TickAlarm known = alarms.get(schedule.name());
        alarms.put(
                schedule.name(),
                TickAlarm.of(
                        schedule,
                        clock.instant(),
                        known != null && known.isOurs(),
                        backoffs.get(),
                        environment.random()));
    }

    /** Makes the due jobs, then sleeps until the next tick. */
    private void wake() {
        Instant now = clock.instant();
        alarms.values().stream()
                .filter(alarm -> alarm.noteSilence(now))
                .forEach(alarm -> log.warn(
                        "schedule {} makes no jobs for some time: its ticks were noted while the server's clock was ahead."
                                + " To go on now, disable it and then enable it",
                        alarm.name()));
        List<TickAlarm> due = alarms.values().stream()
                .filter(alarm -> alarm.isDue(now, clock.nanos()))
                .toList();
        boolean isAway = false;
        for (TickAlarm alarm : due) {
            if (isAway) {
                alarm.failed(clock.nanos());
            } else {
                isAway = !make(alarm);
            }
        }
        sleep();
    }

    /** Makes the due jobs of a schedule. Returns false when the server cannot be reached. */
    private boolean make(TickAlarm alarm) {
        String name = alarm.name();
        try {
            TickMaker.Outcome outcome = maker.make(name);
            alarms.remove(name);
            outcome.schedule()
                    .ifPresent(schedule -> alarms.put(
                            name,
                            TickAlarm.of(
                                    schedule, clock.instant(), outcome.noted(), backoffs.get(), environment.random())));
        } catch (MalformedDocumentException wrong) {
            log.warn("{}; it is left alone until it is changed", wrong.getMessage());
            alarms.remove(name);
        } catch (RuntimeException | Error e) {
            if (alarm.isToBeTold(e) && !lane.isClosed()) {
                log.warn("schedule {} cannot make its job, trying again until it can: {}", name, e.getMessage());
                log.debug("the cause", e);
            }
            alarm.failed(clock.nanos());
            return !(e instanceof CouchUnreachableException);
        }
        return true;
    }

    private void sleep() {
        Instant now = clock.instant();
        long nanos = clock.nanos();
        alarms.values().stream()
                .map(alarm -> alarm.left(now, nanos))
                .flatMap(Optional::stream)
                .min(Duration::compareTo)
                .map(left -> left.compareTo(LONGEST_SLEEP) < 0 ? left : LONGEST_SLEEP)
                .ifPresent(left -> waking.within(left.plusMillis(1)));
    }

    private void run(Runnable task) {
        after(Duration.ZERO, task);
    }

    private void after(Duration pause, Runnable task) {
        lane.schedule(pause, () -> guarded(task));
    }

    /** Runs a task. After a failure, plans to read all schedules, because the scheduler would otherwise never wake again. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.error("the scheduler failed; it reads all schedules again", e);
            after(LONGEST_PAUSE, this::load);
        }
    }
}

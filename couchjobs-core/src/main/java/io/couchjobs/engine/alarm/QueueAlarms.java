package io.couchjobs.engine.alarm;

import io.couchjobs.admin.Alarms;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.Listening;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** Configures and starts the alarms of a queue. */
public final class QueueAlarms implements Alarms {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private final QueueParts parts;
    private final Facts facts;
    private final OpenAlarms open;
    private final String database;
    private final List<Target> targets = new ArrayList<>();
    /** The webhooks and commands. Listeners are not included, because they belong to this process. */
    private final List<String> names = new ArrayList<>();

    private Optional<Duration> oldestDue = Optional.empty();
    private Optional<Double> failureRate = Optional.empty();
    private boolean silentWorkers;
    private Optional<Long> growth = Optional.empty();
    private Optional<Integer> conflicts = Optional.empty();
    private Duration pause = Duration.ofSeconds(30);
    private int looks = 3;

    /**
     * Creates alarms without I/O.
     *
     * @param open the started alarms of the queue
     */
    public QueueAlarms(QueueParts parts, Facts facts, OpenAlarms open) {
        this.parts = parts;
        this.open = open;
        this.facts = facts;
        this.database = parts.store().database().name();
    }

    @Override
    public QueueAlarms oldestDue(Duration longest) {
        require(!longest.isNegative() && !longest.isZero(), "how long a job may be due must be positive: " + longest);
        this.oldestDue = Optional.of(longest);
        return this;
    }

    @Override
    public QueueAlarms failureRate(double part) {
        require(part >= 0 && part < 1, "the part of runs that may fail must be from 0 to less than 1: " + part);
        this.failureRate = Optional.of(part);
        return this;
    }

    @Override
    public QueueAlarms silentWorkers() {
        this.silentWorkers = true;
        return this;
    }

    @Override
    public QueueAlarms growth(long jobs) {
        require(jobs >= 1, "how many more jobs may wait must be at least 1: " + jobs);
        this.growth = Optional.of(jobs);
        return this;
    }

    @Override
    public QueueAlarms conflicts(int documents) {
        require(documents >= 0, "how many documents may have conflicts must not be negative: " + documents);
        this.conflicts = Optional.of(documents);
        return this;
    }

    @Override
    public QueueAlarms every(Duration newPause) {
        require(newPause.compareTo(SHORTEST) >= 0, "between two looks must be at least a second: " + newPause);
        this.pause = newPause;
        return this;
    }

    @Override
    public QueueAlarms looks(int inARow) {
        require(inARow >= 1, "the number of looks must be at least 1: " + inARow);
        this.looks = inARow;
        return this;
    }

    @Override
    public QueueAlarms tell(Consumer<Alarm> listener) {
        targets.add(listener::accept);
        return this;
    }

    @Override
    public QueueAlarms webhook(URI url) {
        targets.add(new Webhook(url, database));
        names.add(url.toString());
        return this;
    }

    @Override
    public QueueAlarms command(List<String> command) {
        targets.add(new AlarmCommand(command, database));
        names.add(command.toString());
        return this;
    }

    @Override
    public Listening start() {
        return open.start(watch());
    }

    AlarmWatch watch() {
        AlarmRules whole = new AlarmRules(oldestDue, failureRate, silentWorkers, growth, conflicts).orAll();
        return new AlarmWatch(
                parts, new Look(whole, facts), List.copyOf(targets), new AlarmWatch.Pace(pause, looks), name(whole));
    }

    /**
     * Returns the name of the shared document. Processes share it if they have the same rules, number of looks, and webhooks and
     * commands in the same order.
     */
    private Optional<String> name(AlarmRules whole) {
        if (names.isEmpty()) {
            return Optional.empty();
        }
        String all = whole + " " + names + " " + looks + parts.store().site().suffix();
        return Optional.of(
                UUID.nameUUIDFromBytes(all.getBytes(StandardCharsets.UTF_8)).toString());
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(problem);
        }
    }
}

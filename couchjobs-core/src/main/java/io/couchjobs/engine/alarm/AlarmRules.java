package io.couchjobs.engine.alarm;

import java.time.Duration;
import java.util.Optional;

/** The conditions that raise alarms. An empty one raises none. Immutable and thread-safe. */
record AlarmRules(
        Optional<Duration> oldestDue,
        Optional<Double> failureRate,
        boolean silentWorkers,
        Optional<Long> growth,
        Optional<Integer> conflicts) {
    static final AlarmRules NONE =
            new AlarmRules(Optional.empty(), Optional.empty(), false, Optional.empty(), Optional.empty());
    private static final AlarmRules ALL = NONE.oldestDue(Duration.ofMinutes(10))
            .failureRate(0.2)
            .withSilentWorkers()
            .growth(1000)
            .conflicts(10);

    AlarmRules orAll() {
        return equals(NONE) ? ALL : this;
    }

    AlarmRules oldestDue(Duration longest) {
        return new AlarmRules(Optional.of(longest), failureRate, silentWorkers, growth, conflicts);
    }

    AlarmRules failureRate(double part) {
        return new AlarmRules(oldestDue, Optional.of(part), silentWorkers, growth, conflicts);
    }

    AlarmRules withSilentWorkers() {
        return new AlarmRules(oldestDue, failureRate, true, growth, conflicts);
    }

    AlarmRules growth(long jobs) {
        return new AlarmRules(oldestDue, failureRate, silentWorkers, Optional.of(jobs), conflicts);
    }

    AlarmRules conflicts(int documents) {
        return new AlarmRules(oldestDue, failureRate, silentWorkers, growth, Optional.of(documents));
    }
}

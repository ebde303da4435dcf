package io.couchjobs.engine.alarm;

import java.time.Duration;
import java.util.Optional;

/** The conditions that raise alarms. An empty condition raises no alarm. Immutable and thread-safe. */
record AlarmRules(
        Optional<Duration> oldestDue,
        Optional<Double> failureRate,
        boolean silentWorkers,
        Optional<Long> growth,
        Optional<Integer> conflicts) {
    private static final AlarmRules NONE =
            new AlarmRules(Optional.empty(), Optional.empty(), false, Optional.empty(), Optional.empty());
    private static final AlarmRules ALL = new AlarmRules(
            Optional.of(Duration.ofMinutes(10)), Optional.of(0.2), true, Optional.of(1000L), Optional.of(10));

    AlarmRules orAll() {
        return equals(NONE) ? ALL : this;
    }
}

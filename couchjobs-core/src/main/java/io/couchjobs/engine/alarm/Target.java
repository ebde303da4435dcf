package io.couchjobs.engine.alarm;

import io.couchjobs.admin.Alarms;
import java.io.IOException;

/** Somebody who is told of alarms. */
@FunctionalInterface
interface Target {
    /** An exception is logged, and the alarm is told again later. */
    void tell(Alarms.Alarm alarm) throws IOException, InterruptedException;
}

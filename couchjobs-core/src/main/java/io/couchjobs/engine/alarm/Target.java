package io.couchjobs.engine.alarm;

import io.couchjobs.admin.Alarms;
import java.io.IOException;

/** A recipient of alarms. */
@FunctionalInterface
interface Target {
    /** Reports an alarm. After an exception, the caller logs the exception and reports the alarm again later. */
    void tell(Alarms.Alarm alarm) throws IOException, InterruptedException;
}

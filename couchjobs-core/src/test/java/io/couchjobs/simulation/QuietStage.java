package io.couchjobs.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Keeps what simulated processes log to itself, unless {@code -Dcouchjobs.simulation.log} is given: something goes wrong in them
 * all the time.
 */
public final class QuietStage extends TurboFilter {
    private static final boolean LOUD = System.getProperty("couchjobs.simulation.log") != null;

    /** As {@link World} names its processes. */
    private static final Pattern THREAD = Pattern.compile("#\\d+ ");

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] params,
            @Nullable Throwable thrown) {
        return !LOUD && THREAD.matcher(Thread.currentThread().getName()).find()
                ? FilterReply.DENY
                : FilterReply.NEUTRAL;
    }
}

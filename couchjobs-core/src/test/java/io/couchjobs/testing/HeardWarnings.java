package io.couchjobs.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What the whole process logs at WARN and above; for tests that run alone. */
public final class HeardWarnings extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    public HeardWarnings() {
        start();
        logger.addAppender(this);
    }

    public List<String> all() {
        return List.copyOf(warnings);
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            warnings.add(event.getLoggerName() + ": " + event.getFormattedMessage());
        }
    }

    @Override
    public void close() {
        logger.detachAppender(this);
    }
}

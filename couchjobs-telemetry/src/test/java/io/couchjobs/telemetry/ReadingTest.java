package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class ReadingTest {
    @Test
    void numbers_that_cannot_be_read_are_warned_of_once_until_they_can_be_read_again() {
        Logger logger = (Logger) LoggerFactory.getLogger(Reading.class);
        ListAppender<ILoggingEvent> heard = new ListAppender<>();
        heard.start();
        logger.addAppender(heard);
        AtomicInteger read = new AtomicInteger();
        try (Reading<Integer> reading = new Reading<>("the number", Duration.ZERO, () -> third(read), number -> {})) {
            while (read.get() < 5) {
                reading.known();
            }
        } finally {
            logger.detachAppender(heard);
        }
        assertThat(heard.list)
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSize(2)
                .allMatch(message -> message.startsWith("the number cannot be read"));
    }

    private static Integer third(AtomicInteger read) {
        if (read.incrementAndGet() != 3) {
            throw new IllegalStateException("away");
        }
        return 3;
    }

    @Test
    void numbers_are_read_again_after_the_registry_refused_some() {
        AtomicInteger read = new AtomicInteger();
        try (Reading<Integer> reading = new Reading<>("the number", Duration.ZERO, read::incrementAndGet, number -> {
            if (number != null && number == 1) {
                throw new IllegalArgumentException("another meter has this name");
            }
        })) {
            Integer number = null;
            while (number == null || number < 2) {
                number = reading.known();
            }
        }
    }
}

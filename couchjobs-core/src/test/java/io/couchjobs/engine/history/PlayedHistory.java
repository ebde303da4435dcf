package io.couchjobs.engine.history;

import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue whose workers are played: the test says when they run jobs, and what their clock shows. */
abstract class PlayedHistory extends OpenQueue {
    static final Instant BEGIN = Instant.parse("2026-03-01T10:00:05Z");
    static final Duration MINUTE = Duration.ofMinutes(1);
    static final Duration HOUR = Duration.ofHours(1);

    HistoryOfWorkers workers;

    @BeforeEach
    final void openHistory() {
        queue.operations().init();
        workers = new HistoryOfWorkers(queue, BEGIN);
    }

    @AfterEach
    final void closeHistory() {
        workers.close();
    }

    /** A copy of a cluster may be a moment behind what a majority has stored. */
    void awaitRuns(long runs) throws Exception {
        TestQueue.until(() -> workers.total("email", HOUR).runs() == runs);
    }

    long runsByHour() {
        return workers.history()
                .read(BEGIN.minus(HOUR), BEGIN.plus(HOUR), HOUR)
                .all()
                .total()
                .runs();
    }
}

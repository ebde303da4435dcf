package io.couchjobs.engine.alarm;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.admin.Alarms;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.history.HistoryOfWorkers;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue whose alarms look at what a test says, when the test says so. */
abstract class AlarmedQueue {
    static final Instant BEGIN = Instant.parse("2026-03-01T10:00:05Z");
    static final Duration PAUSE = Duration.ofSeconds(30);

    final Map<String, TypeCounts> counts = new TreeMap<>();
    final Map<String, TypeSettings> settings = new TreeMap<>();
    final List<WorkerInfo> workers = new ArrayList<>();
    final List<String> conflicts = new ArrayList<>();
    final List<Alarms.Alarm> told = new ArrayList<>();
    JobQueue queue;
    HistoryOfWorkers history;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(door(database));
        history = new HistoryOfWorkers(queue, BEGIN);
    }

    /** {@return where the queue finds its database} */
    TestDatabase door(TestDatabase database) {
        return database;
    }

    @AfterEach
    void close() {
        history.close();
        queue.close();
    }

    QueueAlarms alarms() {
        return new QueueAlarms(history.parts(), facts(), new OpenAlarms()).tell(told::add);
    }

    Facts facts() {
        return new Facts(() -> counts, () -> settings, () -> workers, () -> conflicts, history.history());
    }

    void look(AlarmWatch watch, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            watch.look();
            history.pass(PAUSE);
        }
    }

    JsonNode raisedInDocument() {
        return document().path("open").path("conflicts");
    }

    JsonNode document() {
        return queue.database()
                .view(ViewQuery.allDocs()
                        .startKey("stats:alarm:")
                        .endKey("stats:alarm;")
                        .includeDocs(true))
                .rows()
                .get(0)
                .doc();
    }
}

package io.couchjobs.engine.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.Alarms;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.Listening;
import io.couchjobs.testing.TestQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Alarms are told though the database takes no writes, or cannot be asked. */
@Timeout(120)
@SuppressWarnings("try") // the alarms only have to be there
class AlarmsUnderFaultsTest {
    private final Queue<Alarms.Alarm> told = new ConcurrentLinkedQueue<>();

    @Test
    void a_process_that_may_not_write_tells_by_itself() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();
                JobQueue queue = open(couch)) {
            couch.faults()
                    .answer(
                            1,
                            request -> request.method().equals("PUT")
                                    && request.path().contains("stats"),
                            403);
            queue.add("email", Map.of());
            try (Listening alarms = queue.operations()
                    .alarms()
                    .oldestDue(Duration.ofMillis(1))
                    .looks(1)
                    .command(List.of("true"))
                    .tell(told::add)
                    .start()) {
                TestQueue.until(() -> !told.isEmpty());
            }
        }
        assertThat(told).extracting(Alarms.Alarm::rule).containsExactly("oldest-due");
    }

    @Test
    void an_alarm_that_was_raised_by_a_write_whose_answer_was_lost_is_told_once() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();
                JobQueue queue = open(couch)) {
            AtomicBoolean isStored = new AtomicBoolean();
            couch.faults().loseAnswer(1, request -> isAlarms(request) && isStored.compareAndSet(false, true));
            couch.faults().answer(Integer.MAX_VALUE, request -> isStored.get(), 500);
            queue.add("email", Map.of());
            try (Listening alarms = whenAJobIsDue(queue)
                    .command(List.of("true"))
                    .tell(told::add)
                    .start()) {
                TestQueue.until(() -> !told.isEmpty());
                couch.faults().clear();
                TestQueue.until(() -> told.size() >= 3);
            }
        }
        assertThat(told)
                .extracting(alarm -> alarm.rule() + " " + alarm.raised())
                .containsExactlyInAnyOrder("database true", "database false", "oldest-due true");
    }

    private static boolean isAlarms(Faults.Request request) {
        return request.method().equals("PUT") && request.path().contains("stats");
    }

    @Test
    void alarms_that_nobody_closes_end_with_their_queue() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start()) {
            WeakReference<Queue<Alarms.Alarm>> target = targetOfAQueueThatIsClosed(couch);
            TestQueue.until(
                    Duration.ofMillis(400),
                    () -> { // each collection stops all other tests, too
                        System.gc();
                        return target.refersTo(null);
                    });
        }
    }

    private static WeakReference<Queue<Alarms.Alarm>> targetOfAQueueThatIsClosed(EmbeddedCouch couch) {
        Queue<Alarms.Alarm> told = new ArrayDeque<>();
        try (JobQueue queue = open(couch)) {
            var unused = queue.operations().alarms().tell(told::add).start();
        }
        return new WeakReference<>(told);
    }

    @Test
    void a_database_that_cannot_be_asked_is_told() throws Exception {
        EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();
        try (JobQueue queue = open(couch);
                Listening alarms = queue.operations()
                        .alarms()
                        .oldestDue(Duration.ofHours(1))
                        .every(Duration.ofSeconds(1))
                        .looks(1)
                        .tell(told::add)
                        .start()) {
            couch.close();
            TestQueue.until(() -> !told.isEmpty());
        }
        assertThat(told).extracting(Alarms.Alarm::rule).containsExactly("database");
    }

    @Test
    void a_listener_that_leaves_an_interrupt_behind_does_not_end_the_alarms() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();
                JobQueue queue = open(couch)) {
            queue.add("email", Map.of());
            try (Listening alarms = whenAJobIsDue(queue)
                    .tell(alarm -> Thread.currentThread().interrupt())
                    .command(List.of("sleep", "1"))
                    .tell(told::add)
                    .start()) {
                TestQueue.until(() -> !told.isEmpty());
            }
        }
    }

    private static JobQueue open(EmbeddedCouch couch) {
        return JobQueue.open(couch.url().resolve("/queue").toString());
    }

    private static Alarms whenAJobIsDue(JobQueue queue) {
        return queue.operations()
                .alarms()
                .oldestDue(Duration.ofMillis(1))
                .every(Duration.ofSeconds(1))
                .looks(1);
    }
}

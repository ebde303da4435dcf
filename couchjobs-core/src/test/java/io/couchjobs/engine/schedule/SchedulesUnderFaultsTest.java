package io.couchjobs.engine.schedule;

import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ticks that fall into a time when the server is away, or refuses them. */
@Timeout(60)
class SchedulesUnderFaultsTest {
    private static final Duration NEVER = Duration.ofHours(1);

    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
    private final JobQueue queue =
            JobQueue.builder(couch.url() + "jobs").renewLeases(false).open();
    private final SteppedSchedules parts = new SteppedSchedules(queue, InstantSource.system());
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicInteger loads = new AtomicInteger();

    @BeforeEach
    void init() {
        queue.operations().init();
    }

    @AfterEach
    void close() {
        parts.close();
        queue.close();
        couch.close();
    }

    @Test
    void a_tick_that_failed_is_made_as_soon_as_the_feed_is_there_again() throws Exception {
        putDue("s");
        couch.faults().answer(1_000, this::readsASchedule, 500);
        try (Scheduler scheduler = scheduler()) {
            scheduler.start();
            until(() -> !asked.isEmpty());
            couch.faults().clear();
            scheduler.reconnected();
            until(() -> queue.all("tick").count() == 1);
        }
    }

    @Test
    void while_the_server_is_away_one_schedule_is_tried_and_not_all_of_them_one_after_the_other() throws Exception {
        for (int i = 0; i < 5; i++) {
            putDue("s" + i);
        }
        couch.faults().cut(1_000, this::readsASchedule);
        try (Scheduler scheduler = scheduler()) {
            scheduler.start();
            until(() -> !asked.isEmpty());
            scheduler.gap(); // after this round all are read anew
            until(() -> loads.get() == 2);
        }
        assertThat(asked.stream().distinct()).hasSize(1);
    }

    @Test
    void a_schedule_that_fails_keeps_no_other_one_from_making_its_job() {
        for (String name : List.of("a", "b", "c")) {
            putDue(name);
        }
        couch.faults().answer(1_000, request -> request.path().matches(".*/schedule(:|%3A)a"), 500);
        couch.faults().answer(1_000, request -> request.path().matches(".*/schedule(:|%3A)b"), 403);
        assertThatThrownBy(parts.schedules()::makeDue)
                .hasMessageContaining("schedule%3Aa")
                .satisfies(first -> assertThat(first.getSuppressed()).hasSize(1));
        assertThat(queue.all("tick").count()).isEqualTo(1);
    }

    @Test
    void when_the_server_is_away_one_schedule_is_tried_and_no_other_one() {
        putDue("a");
        putDue("b");
        couch.faults().cut(1_000, this::readsASchedule);
        assertThatThrownBy(parts.schedules()::makeDue).isInstanceOf(CouchUnreachableException.class);
        assertThat(asked.stream().distinct()).hasSize(1);
    }

    @Test
    void a_job_that_was_made_by_hand_is_told_though_its_schedule_cannot_note_it() {
        putDue("s");
        couch.faults()
                .answer(
                        1_000,
                        request -> !request.method().equals("GET")
                                && request.path().startsWith("/jobs/schedule"),
                        403);

        Job job = queue.schedules().runNow("s");

        assertThat(queue.get(job.id())).isPresent();
        assertThat(queue.schedules().get("s").orElseThrow().runs()).isEmpty();
    }

    private boolean readsASchedule(Faults.Request request) {
        if (request.path().endsWith("/_all_docs")) {
            loads.incrementAndGet();
        }
        boolean isOne = request.path().startsWith("/jobs/schedule");
        if (isOne) {
            asked.add(request.path());
        }
        return isOne;
    }

    private Scheduler scheduler() {
        return new Scheduler(
                parts.parts(), () -> new Backoff(parts.parts().store().environment(), NEVER, NEVER));
    }

    private void putDue(String name) {
        queue.schedules()
                .put(Schedule.named(name)
                        .every(Duration.ofDays(1))
                        .from(Instant.now().minus(Duration.ofHours(60)))
                        .job(JobRequest.of("tick", Map.of()))
                        .build());
        ObjectNode document = queue.database().get("schedule:" + name).orElseThrow();
        queue.database()
                .put(document.put(
                        "last", Instant.now().minus(Duration.ofHours(50)).toEpochMilli()));
    }
}

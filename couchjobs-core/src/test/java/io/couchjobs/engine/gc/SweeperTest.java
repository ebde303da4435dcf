package io.couchjobs.engine.gc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What workers delete by themselves, one at a time. */
@ServerTest
@Timeout(60)
class SweeperTest {
    private JobQueue queue;
    private CouchDatabase database;
    private JobStore store;
    private Instant now = Instant.now();
    private long claims;

    @BeforeEach
    void open(TestDatabase testDatabase) {
        queue = TestQueue.open(testDatabase);
        database = queue.database();
        store = Stores.of(database);
        queue.types()
                .change("email", settings -> settings.withFailureRetention(new Retention.For(Duration.ofHours(1))));
    }

    @AfterEach
    void close() {
        store.close();
        queue.close();
    }

    @Test
    void one_of_all_workers_sweeps_in_ten_minutes() throws Exception {
        finished("1");
        now = now.plus(Duration.ofHours(2));

        List<CompletableFuture<Duration>> turns = IntStream.range(0, 5)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> turn("worker-" + i)))
                .toList();
        for (CompletableFuture<Duration> turn : turns) {
            assertThat(turn.get()).isBetween(Duration.ofMinutes(9), Sweeper.PERIOD);
        }

        assertThat(queue.get("email", "1")).isEmpty();
        assertThat(database.get(Sweeper.LEASE).orElseThrow().path("_rev").asText())
                .startsWith("1-");

        finished("2");
        now = now.plus(Duration.ofMinutes(9));
        assertThat(turn("worker-1")).isEqualTo(Duration.ofMinutes(1));
        assertThat(queue.get("email", "2")).isPresent();

        now = now.plus(Duration.ofHours(1));
        turn("worker-2");
        assertThat(queue.get("email", "2")).isEmpty();
        assertThat(database.get(Sweeper.LEASE).orElseThrow().path("worker").asText())
                .isEqualTo("worker-2");
    }

    @Test
    void a_lease_of_a_clock_that_was_wrong_holds_nobody_up() throws Exception {
        now = now.plus(Duration.ofDays(1000));
        turn("from-the-future");
        now = Instant.now();
        finished("1");
        now = now.plus(Duration.ofHours(2));

        turn("worker");

        assertThat(queue.get("email", "1")).isEmpty();
    }

    @Test
    void sweeps_leave_marks_by_which_tombstones_get_an_age() throws Exception {
        Marks marks = new Marks(database, this::instant);
        assertThat(marks.before(now)).isEmpty();
        for (int i = 0; i < 120; i++) {
            marks.add();
            now = now.plus(Sweeper.PERIOD);
        }

        assertThat(marks.before(now.minus(Sweeper.PERIOD))).isPresent();
        assertThat(marks.before(now.minus(Duration.ofHours(19)))).isPresent();
        assertThat(marks.before(now.minus(Duration.ofHours(21)))).isEmpty();
        assertThat(database.get(Marks.DOC_ID).orElseThrow().path("marks").size())
                .isLessThanOrEqualTo(50);
    }

    @Test
    void after_months_there_is_a_mark_that_tells_what_is_a_month_old() {
        Marks marks = new Marks(database, this::instant);
        for (int i = 0; i < 400; i++) {
            marks.add();
            now = now.plus(Duration.ofHours(6));
        }

        List<JsonNode> times = new ArrayList<>();
        database.get(Marks.DOC_ID).orElseThrow().path("marks").forEach(times::add);
        assertThat(times)
                .extracting(mark -> Duration.between(
                                Instant.ofEpochMilli(mark.path("at").asLong()), now)
                        .toDays())
                .anySatisfy(days -> assertThat(days).isBetween(30L, 45L))
                .anySatisfy(days -> assertThat(days).isBetween(7L, 10L));
    }

    @Test
    void a_worker_that_runs_nothing_looks_once_an_hour_and_one_that_runs_jobs_every_ten_minutes() throws Exception {
        try (Sweeper idle = sweeper("idle");
                Sweeper other = sweeper("other")) {
            assertThat(idle.next()).isEqualTo(Sweeper.PERIOD);
            assertThat(lastToSweep()).isEqualTo("idle");

            now = now.plus(Duration.ofMinutes(50));
            assertThat(idle.next()).isEqualTo(Sweeper.PERIOD);
            other.next();
            assertThat(lastToSweep()).isEqualTo("other");

            now = now.plus(Duration.ofMinutes(10));
            idle.next();
            assertThat(lastToSweep()).isEqualTo("idle");

            now = now.plus(Duration.ofMinutes(10));
            claims++;
            other.next();
            assertThat(lastToSweep()).isEqualTo("other");
        }
    }

    private String lastToSweep() {
        return database.get(Sweeper.LEASE).orElseThrow().path("worker").asText();
    }

    private void finished(String id) {
        queue.add(JobRequest.builder("email").id(id).data(Map.of()).build());
        queue.cancel("email", id, CancelMode.IF_QUEUED);
    }

    private Duration turn(String worker) {
        try (Sweeper sweeper = sweeper(worker)) {
            return sweeper.turn();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Sweeper sweeper(String worker) {
        ServerClock clock =
                new ServerClock(this::instant, () -> Duration.ZERO, () -> Duration.between(Instant.EPOCH, now)
                        .toNanos());
        return Sweeps.sweeper(worker, database, store, clock, () -> claims);
    }

    private Instant instant() {
        return now;
    }
}

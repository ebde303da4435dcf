package io.couchjobs.engine.log;

import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Logs;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class FollowingLogsTest {
    private static final JobId JOB = new JobId("email", "1");
    private static final int MANY = 250;

    private JobQueue queue;
    private JobStore store;
    private Feed feed;
    private JobLogs logs;
    private Instant begun = Instant.EPOCH;
    private final List<Long> told = new CopyOnWriteArrayList<>();

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        store = Stores.of(queue.database());
        feed = Feeds.of(queue.database());
        logs = new JobLogs(store, feed);
    }

    @AfterEach
    void close() {
        feed.close();
        store.close();
        queue.close();
    }

    @Test
    void a_log_listener_that_blocks_holds_up_no_other_listener() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        List<String> heard = new CopyOnWriteArrayList<>();
        append(1);
        try (Logs.Following following = logs.follow(JOB, chunk -> {
                    blocked.countDown();
                    uninterruptibly(goOn);
                    told.add(chunk.number());
                });
                Listening other = feed.listen(event -> heard.add(event.docId()))) {
            assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
            for (int number = 2; number <= MANY; number++) {
                append(number);
            }
            queue.add("other", Map.of());
            until(() -> heard.stream().anyMatch(id -> id.startsWith("job:other:")));
            assertThat(told).isEmpty();
            assertThat(following.finish(Duration.ofMillis(1))).isFalse();
            assertThat(other).isNotNull();
            goOn.countDown();
        }
    }

    @Test
    void a_slow_log_listener_is_told_every_chunk_once_and_in_order() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        append(1);
        try (Logs.Following following = logs.follow(JOB, chunk -> {
            uninterruptibly(goOn);
            told.add(chunk.number());
            if (chunk.number() == 7) {
                throw new IllegalStateException("a listener that fails once");
            }
        })) {
            for (int number = 2; number <= MANY; number++) {
                append(number);
            }
            goOn.countDown();
            until(() -> told.size() == MANY);
            append(MANY + 1);
            until(() -> told.size() == MANY + 1);
            append(MANY + 2);
            assertThat(following.finish(TestQueue.PATIENCE)).isTrue();
        }
        assertThat(told).containsExactlyElementsOf(numbers(MANY + 2));
    }

    @Test
    void a_chunk_that_was_missing_in_the_copy_that_was_read_first_is_told_soon(TestDatabase database) throws Exception {
        append(1);
        AtomicInteger reads = new AtomicInteger();
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue behind = TestQueue.open(proxy.door(database))) {
            proxy.detour(new Proxy.Detour() {
                @Override
                public String rewrites(Proxy.Request request, String answer) {
                    return answer.contains(LogDocuments.prefix(JOB)) && reads.getAndIncrement() == 0
                            ? "{\"rows\":[]}"
                            : answer;
                }
            });
            try (Logs.Following following = behind.logs().follow(JOB, chunk -> told.add(chunk.number()))) {
                until(() -> told.contains(1L));
                assertThat(following.finish(TestQueue.PATIENCE)).isTrue();
            }
            assertThat(told).containsExactly(1L);
        }
    }

    @Test
    void a_chunk_whose_shard_tells_of_it_late_is_told_before_the_next_one() throws Exception {
        append(1);
        try (LogFollower follower =
                new LogFollower(JOB, logs, chunk -> told.add(chunk.number()), store.environment())) {
            follower.gap();
            until(() -> told.contains(1L));
            follower.changed(event(2)); // not stored: once it is told, the reading of the log is over
            until(() -> told.contains(2L));
            append(3);
            append(4);
            follower.changed(event(4));
            until(() -> told.contains(4L));
        }
        assertThat(told).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void the_log_of_a_job_that_was_removed_and_added_anew_is_told_from_its_beginning() throws Exception {
        appendEach(1, 2, 3);
        try (Logs.Following following = logs.follow(JOB, chunk -> told.add(chunk.number()))) {
            until(() -> told.size() == 3);
            begun = Instant.EPOCH.plusSeconds(1);
            appendEach(1, 2); // in the places of the older ones
            until(() -> told.size() == 5);
            logs.write(logs.tombstonesOf(JOB));
            begun = Instant.EPOCH.plusSeconds(2);
            appendEach(1, 2);
            until(() -> told.size() == 7);
            assertThat(following.finish(TestQueue.PATIENCE)).isTrue();
        }
        assertThat(told).containsExactly(1L, 2L, 3L, 1L, 2L, 1L, 2L);
    }

    @Test
    void a_chunk_of_a_job_that_was_added_anew_is_told_before_the_next_one_even_if_its_shard_tells_of_it_late()
            throws Exception {
        appendEach(1, 2, 3);
        try (LogFollower follower =
                new LogFollower(JOB, logs, chunk -> told.add(chunk.number()), store.environment())) {
            follower.gap();
            until(() -> told.size() == 3);
            begun = Instant.EPOCH.plusSeconds(1);
            appendEach(1, 2);
            follower.changed(event(2));
            until(() -> told.size() == 5);
        }
        assertThat(told).containsExactly(1L, 2L, 3L, 1L, 2L);
    }

    @Test
    void after_the_following_was_closed_nothing_is_told() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        append(1);
        append(2);
        Logs.Following following = logs.follow(JOB, chunk -> {
            blocked.countDown();
            uninterruptibly(goOn);
            told.add(chunk.number());
        });
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
        following.close();
        goOn.countDown();
        assertThat(following.finish(TestQueue.PATIENCE)).isTrue();
        assertThat(told).containsExactly(1L);
    }

    private void append(long number) throws Exception {
        logs.append(chunk(number)).get(30, TimeUnit.SECONDS);
    }

    private void appendEach(long... numbers) throws Exception {
        for (long number : numbers) {
            append(number);
        }
    }

    private FeedEvent event(long number) {
        Logs.Chunk chunk = chunk(number);
        return new FeedEvent(chunk.docId(), "1-a", false, LogDocuments.of(chunk), false);
    }

    private Logs.Chunk chunk(long number) {
        return new Logs.Chunk(JOB, number, List.of(new Logs.Chunk.Line(1, 1, begun, "line " + number)), 0);
    }

    private static List<Long> numbers(int last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    private static void uninterruptibly(CountDownLatch latch) {
        boolean done = false;
        while (!done) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException again) {
                // goes on waiting
            }
        }
    }
}

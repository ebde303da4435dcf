package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class CachedTest {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);

    @Test
    void a_known_value_is_told_at_once_while_somebody_waits_for_the_answer() throws Exception {
        Cached<String> cached = new Cached<>(Duration.ofMinutes(1), this::slow);
        FutureTask<String> waits = inThread(cached);
        asked.await();
        assertThat(cached.known()).isEmpty();
        answers.countDown();
        assertThat(waits.get()).isEqualTo("slow");
        assertThat(cached.known()).contains("slow");
    }

    @Test
    void an_answer_from_before_a_change_is_not_kept() throws Exception {
        Cached<String> cached = new Cached<>(Duration.ofMinutes(1), this::slow);
        FutureTask<String> waits = inThread(cached);
        asked.await();
        cached.forget();
        answers.countDown();
        waits.get();
        assertThat(cached.known()).isEmpty();
    }

    private static FutureTask<String> inThread(Cached<String> cached) {
        FutureTask<String> task = new FutureTask<>(cached::get);
        Thread thread = new Thread(task, "asks first");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private String slow() {
        asked.countDown();
        try {
            assertThat(answers.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "slow";
    }
}

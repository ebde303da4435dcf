package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each caller gets an end, whatever happens to its question. */
@Timeout(60)
class RealTimeTest {
    private final RealTime time = new RealTime();

    @AfterEach
    void close() {
        time.close();
    }

    @Test
    void a_question_that_is_open_when_all_ends_is_refused() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        Thread asking = new Thread(() -> {
            try {
                refused.completeExceptionally(new AssertionError(time.<Object>ask(neverAnswered -> asked.countDown())));
            } catch (UncheckedIOException | InterruptedException end) {
                refused.complete(end);
            }
        });
        asking.setDaemon(true);
        asking.start();
        asked.await();
        time.close();
        assertThat(refused.get()).hasRootCauseMessage("The simulated cluster is closed.");
    }

    @Test
    void a_question_after_the_end_is_refused() {
        time.close();
        assertThatThrownBy(() -> time.<Boolean>ask(then -> then.accept(true)))
                .hasRootCauseMessage("The simulated cluster is closed.");
    }

    @Test
    void an_error_in_a_question_is_thrown_to_who_asked() {
        assertThatThrownBy(() -> time.<Boolean>ask(then -> {
                    throw new StackOverflowError("too deep");
                }))
                .isInstanceOf(StackOverflowError.class)
                .hasMessage("too deep");
    }
}

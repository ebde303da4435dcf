package io.couchjobs;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.FeedProxy;
import io.couchjobs.testing.FeedProxy.Mode;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that is cancelled or removed while the feed of its worker is in trouble: the handler is told nevertheless. */
@ServerTest
class RunsUnderFeedFaultsTest {
    private FeedProxy proxy;
    private JobQueue behind;
    private JobQueue direct;
    private Worker worker;
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        proxy = new FeedProxy(database);
        behind = proxy.queue().open();
        direct = TestQueue.open(database);
        worker = behind.worker()
                .handler("email", (data, context) -> runUntilInterrupted())
                .start();
        direct.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        assertThat(running.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        until(() -> proxy.openFeeds() == 1);
    }

    @AfterEach
    void close() {
        worker.close(Duration.ZERO);
        behind.close();
        direct.close();
        proxy.close();
    }

    @Test
    void a_cancel_request_reaches_the_handler_when_the_feed_was_refused_meanwhile() throws Exception {
        int feeds = proxy.feeds();
        proxy.failWith(503, "service_unavailable", "restarting");
        proxy.cut();
        until(() -> proxy.feeds() > feeds);
        direct.cancel("email", "1", CancelMode.REQUEST);
        until(() -> proxy.feeds() >= feeds + 5);
        proxy.mode(Mode.PASS);

        assertThatHandlerIsInterrupted();
        assertThat(direct.awaitFinished("email", "1", PATIENCE).map(Job::status))
                .contains(JobStatus.CANCELLED);
    }

    @Test
    void a_cancel_request_reaches_the_handler_when_the_position_was_lost_meanwhile() throws Exception {
        losePosition(() -> direct.cancel("email", "1", CancelMode.REQUEST));

        assertThatHandlerIsInterrupted();
        assertThat(direct.awaitFinished("email", "1", PATIENCE).map(Job::status))
                .contains(JobStatus.CANCELLED);
    }

    @Test
    void a_removal_reaches_the_handler_when_the_position_was_lost_meanwhile() throws Exception {
        losePosition(() -> direct.remove("email", "1"));

        assertThatHandlerIsInterrupted();
    }

    @Test
    void a_removal_that_cannot_be_verified_at_once_is_verified_later() throws Exception {
        proxy.letIn(headers -> false, 500);
        int refusals = proxy.refusals();
        direct.remove("email", "1");
        until(() -> proxy.refusals() >= refusals + 1);
        assertThat(interrupted.getCount()).isEqualTo(1);
        proxy.letIn(headers -> true, 500);

        assertThatHandlerIsInterrupted();
    }

    private void losePosition(Runnable meanwhile) throws Exception {
        int feeds = proxy.feeds();
        proxy.mode(Mode.NO_ANSWER);
        proxy.cut();
        until(() -> proxy.feeds() > feeds);
        meanwhile.run();
        proxy.mode(Mode.REFUSE_POSITION);
        proxy.cut();
        until(() -> proxy.feeds() > feeds + 2);
        proxy.mode(Mode.PASS);
    }

    private Object runUntilInterrupted() throws InterruptedException {
        running.countDown();
        try {
            new CountDownLatch(1).await();
            return "never";
        } finally {
            interrupted.countDown();
        }
    }

    private void assertThatHandlerIsInterrupted() throws InterruptedException {
        assertThat(interrupted.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("interrupted")
                .isTrue();
    }
}

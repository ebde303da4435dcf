package io.couchjobs.engine.watch;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobState;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who waits for a job while the queue is being closed. */
@ServerTest
class WatchTest {
    /** The connections are closed last: whoever comes in between can still read the job, but hears of no change any more. */
    @Test
    void who_begins_to_wait_while_the_queue_closes_is_told_so(TestDatabase database) {
        try (JobQueue queue = TestQueue.open(database);
                Feed feed = new Feed(queue.database())) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            Watch watch = new Watch(feed, new JobStore(queue.database()));
            watch.close();
            assertThatThrownBy(() -> watch.await(
                            new JobId("email", "1"), job -> job.state() == JobState.FINISHED, TestQueue.PATIENCE))
                    .isInstanceOf(CouchJobsException.class)
                    .hasMessageContaining("the queue was closed");
        }
    }
}

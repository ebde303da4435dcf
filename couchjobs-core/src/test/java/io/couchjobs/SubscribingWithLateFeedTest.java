package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The feed may tell late what became of a job: a subscriber may have read something newer. */
@ServerTest
class SubscribingWithLateFeedTest extends ProxiedQueue {
    @Test
    void nobody_can_subscribe_to_a_removed_job_of_which_the_feed_has_told_only_the_beginning() throws Exception {
        add("other");
        try (Subscription other = queue.subscribe("email", "other")) {
            Held reading = proxy.holdRequest(request ->
                    request.method().equals("GET") && request.uri().getPath().endsWith("job:email:1"));
            CompletableFuture<Subscription> subscribing =
                    CompletableFuture.supplyAsync(() -> queue.subscribe("email", "1"));
            reading.awaitArrival();
            add("1");
            others.cancel("email", "other", CancelMode.IF_QUEUED);
            assertThat(other.await(JobPhase.FINISHED, TestQueue.PATIENCE))
                    .as("the feed tells of both")
                    .isPresent();
            proxy.deafenFeeds();
            others.remove("email", "1");
            reading.release();

            assertThatThrownBy(() -> subscribing.get(1, TimeUnit.MINUTES)).hasCauseInstanceOf(NotFoundException.class);
        }
    }

    private void add(String id) {
        others.add(JobRequest.builder("email").id(id).data(Map.of()).build());
    }
}

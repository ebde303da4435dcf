package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.TestQueue;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Jobs that were claimed by hand, and whose leases could not be renewed. */
class GivenUpClaimsTest extends FaultyServer {
    @Override
    protected JobQueue another(Duration timeout) {
        return JobQueue.builder(URI.create(couch.url() + "jobs"))
                .defaultTimeout(timeout)
                .open();
    }

    private ClaimedJob claim(String id) throws InterruptedException {
        queue.add(JobRequest.builder("email").id(id).data(Map.of()).build());
        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }

    @Test
    void a_job_whose_lease_was_lost_waits_again_though_its_process_lives_and_has_other_claims() throws Exception {
        queue.types().setTimeout("email", Duration.ofSeconds(1));
        ClaimedJob lost = claim("lost");
        couch.faults().answer(Integer.MAX_VALUE, request -> true, 503);
        TestQueue.until(lost::isLeaseOver);
        TestQueue.work(2_000); // so long the server stays away
        couch.faults().clear();
        queue.types().setTimeout("email", Duration.ofSeconds(5)); // a busy machine renews late
        ClaimedJob other = claim("other");
        TestQueue.until(() -> queue.get("email", "lost").orElseThrow().status() == JobStatus.WAITING);
        assertThat(other.isLeaseOver()).isFalse();
    }

    @Test
    void a_lease_that_was_lost_and_that_its_owner_renews_is_renewed_by_the_queue_again() throws Exception {
        queue.types().setTimeout("email", Duration.ofSeconds(1));
        LeasedJob claim = (LeasedJob) claim("slept");
        AtomicBoolean isAway = new AtomicBoolean(true);
        // Nobody finds out whether the owner lives, so nobody takes the job.
        couch.faults()
                .cut(
                        Integer.MAX_VALUE,
                        request ->
                                request.method().equals("GET") && request.path().contains("client-"));
        couch.faults().answer(Integer.MAX_VALUE, request -> isAway.get(), 503);
        TestQueue.until(claim::isLeaseOver);
        TestQueue.work(500); // so that the queue gives it up, too
        isAway.set(false);
        queue.types().setTimeout("email", Duration.ofSeconds(6)); // a busy machine renews late
        claim.update();
        couch.faults().clear();
        long renewed = claim.confirmedNanos();
        TestQueue.until(() -> claim.confirmedNanos() > renewed);
        assertThat(claim.isLeaseOver()).isFalse();
        claim.finish();
    }
}

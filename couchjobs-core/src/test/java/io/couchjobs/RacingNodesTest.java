package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Claims that race on different nodes of a real cluster: the one that {@code COUCHJOBS_TEST_URL} leads to, and the nodes that
 * {@code COUCHJOBS_TEST_NODES} lists, with commas. With a single copy of each document there is nothing to see.
 */
@ServerTest
class RacingNodesTest {
    private static final int ROUNDS = 40;
    private static final int JOBS = 5;

    private final List<JobQueue> queues = new ArrayList<>();
    private final List<JobRequest> jobs = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void open(TestDatabase database) {
        queues.add(TestQueue.open(database));
        assumeTrue(queues.get(0).database().info().copies() > 1, "the database has one copy of each document");
        String nodes =
                System.getenv().getOrDefault("COUCHJOBS_TEST_NODES", database.serverUrl() + "," + database.serverUrl());
        queues.clear();
        for (String node : nodes.split(",")) {
            queues.add(TestQueue.builder(database, URI.create(node).resolve("/" + database.name()))
                    .open());
        }
        queues.get(0)
                .types()
                .change("email", type -> type.withTimeout(Duration.ofMinutes(30))); // no claim is to run out meanwhile
    }

    @AfterEach
    void close() {
        queues.forEach(JobQueue::close);
        threads.shutdownNow();
    }

    @Test
    void no_job_has_two_owners_and_every_other_claim_is_withdrawn() throws Exception {
        List<ClaimedJob> claims = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            claims.addAll(race(round));
        }
        Map<String, Long> owners = claims.stream()
                .collect(Collectors.groupingBy(claim -> claim.id().id(), Collectors.counting()));
        assertThat(owners.values()).allMatch(count -> count == 1);
        Set<String> owning = claims.stream().map(ClaimedJob::token).collect(Collectors.toSet());
        for (JobRequest job : jobs) {
            TestQueue.until(() -> strangers(job, owning).isEmpty());
        }
        report(claims);
        for (ClaimedJob claim : claims) {
            assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
        }
    }

    /** Some new jobs, and claimers that all know them and take them in the same moment. */
    private List<ClaimedJob> race(int round) throws Exception {
        List<JobRequest> fresh = IntStream.range(0, JOBS)
                .mapToObj(i -> JobRequest.builder("email")
                        .id(round + "-" + i)
                        .data(Map.of())
                        .build())
                .toList();
        jobs.addAll(fresh);
        queues.get(0).addAll(fresh);
        for (JobQueue queue : queues) {
            TestQueue.until(() -> queue.types().pendingCount("email", Instant.now(), JOBS + 1) >= JOBS);
        }
        CountDownLatch begin = new CountDownLatch(1);
        AcceptOptions options = AcceptOptions.of("email").max(JOBS).timeout(Duration.ZERO);
        List<CompletableFuture<List<ClaimedJob>>> claimers = queues.stream()
                .map(queue -> CompletableFuture.supplyAsync(() -> accept(queue, options, begin), threads))
                .toList();
        begin.countDown();
        return claimers.stream().flatMap(claimer -> claimer.join().stream()).toList();
    }

    private static List<ClaimedJob> accept(JobQueue queue, AcceptOptions options, CountDownLatch begin) {
        try {
            begin.await();
            return queue.accept(options);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The leaves of a job by which somebody seems to own it who does not. */
    private List<ObjectNode> strangers(JobRequest job, Set<String> owning) {
        return queues.get(0).database().leaves(job.id().docId()).stream()
                .filter(leaf -> leaf.has("lock") && !leaf.path("lock").has("withdrawn"))
                .filter(leaf -> !owning.contains(leaf.path("lock").path("token").asText()))
                .toList();
    }

    private void report(List<ClaimedJob> claims) {
        long conflicts = jobs.stream()
                .filter(job -> queues.get(0).database().leaves(job.id().docId()).size() > 1)
                .count();
        System.out.println(jobs.size() + " jobs, " + queues.size() + " claimers: " + claims.size() + " owned, "
                + conflicts + " with more than one leaf");
    }
}

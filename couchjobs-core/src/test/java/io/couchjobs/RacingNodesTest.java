package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.store.AcceptOptions;
import io.couchjobs.store.ClaimedJob;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
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
    private static final int JOBS = 200;

    private final List<JobQueue> queues = new ArrayList<>();
    private final Map<String, Set<String>> owners = new ConcurrentHashMap<>();

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
    }

    @AfterEach
    void close() {
        queues.forEach(JobQueue::close);
    }

    @Test
    void no_job_has_two_owners_and_every_other_claim_is_withdrawn() throws Exception {
        List<JobRequest> jobs = IntStream.range(0, JOBS)
                .mapToObj(i ->
                        JobRequest.builder("email").id("j" + i).data(Map.of()).build())
                .toList();
        queues.get(0).addAll(jobs);
        CountDownLatch begin = new CountDownLatch(1);
        List<CompletableFuture<List<ClaimedJob>>> claimers = queues.stream()
                .map(queue -> CompletableFuture.supplyAsync(() -> claimAll(queue, begin)))
                .toList();
        begin.countDown();
        List<ClaimedJob> claims = new ArrayList<>();
        claimers.forEach(claimer -> claims.addAll(claimer.join()));

        assertThat(owners.values()).allMatch(tokens -> tokens.size() == 1);
        Set<String> owning = new HashSet<>();
        claims.forEach(claim -> owning.add(claim.token()));
        for (JobRequest job : jobs) {
            TestQueue.until(() -> strangers(job, owning).isEmpty());
        }
        report(jobs, claims);
        for (ClaimedJob claim : claims) {
            assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
        }
    }

    /** Claims until nothing is left to claim. */
    private List<ClaimedJob> claimAll(JobQueue queue, CountDownLatch begin) {
        List<ClaimedJob> all = new ArrayList<>();
        try {
            begin.await();
            AcceptOptions options = AcceptOptions.of("email").max(10).timeout(Duration.ofMillis(500));
            for (List<ClaimedJob> some = queue.accept(options); !some.isEmpty(); some = queue.accept(options)) {
                for (ClaimedJob claim : some) {
                    owners.computeIfAbsent(claim.id().id(), id -> ConcurrentHashMap.newKeySet())
                            .add(claim.token());
                }
                all.addAll(some);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return all;
    }

    /** The leaves of a job by which somebody seems to own it who does not. */
    private List<ObjectNode> strangers(JobRequest job, Set<String> owning) {
        return queues.get(0).database().leaves(job.id().docId()).stream()
                .filter(leaf -> leaf.has("lock") && !leaf.path("lock").has("withdrawn"))
                .filter(leaf -> !owning.contains(leaf.path("lock").path("token").asText()))
                .toList();
    }

    private void report(List<JobRequest> jobs, List<ClaimedJob> claims) {
        long conflicts = jobs.stream()
                .filter(job -> queues.get(0).database().leaves(job.id().docId()).size() > 1)
                .count();
        System.out.println(jobs.size() + " jobs, " + queues.size() + " claimers: " + claims.size() + " owned, "
                + conflicts + " with more than one leaf");
    }
}

package io.couchjobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Workers at all nodes of a cluster race for the one slot of a type. */
@Execution(ExecutionMode.CONCURRENT)
class LimitsOnClustersTest {
    private static final int JOBS = Integer.getInteger("couchjobs.limits.jobs", 150);
    private static final int WORKERS = 6;
    private static final long SEED = Long.getLong("couchjobs.seed", 4);
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    /** By far longer than any pause of a cluster that has a machine for itself: a dead worker's slot takes ten seconds. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    @Test
    void a_type_with_one_slot_does_not_stand_still_while_jobs_wait_and_workers_live() throws Exception {
        String database = "limits-" + UUID.randomUUID();
        if (RealCluster.isThere()) {
            assertThat(race(node -> RealCluster.at(node + 1, database))).isLessThan(LONGEST);
        } else {
            try (SimulatedCluster copies = SimulatedCluster.start(3, SEED)) {
                // On a slow machine its claims are confirmed late, and whose claims are late pauses. That all jobs run
                // says enough.
                Duration unused = race(node -> JobQueue.builder(
                                copies.urls().get(node).resolve("/" + database).toString())
                        .renewLeases(false)
                        .open());
            }
        }
    }

    /** The longest pause between two runs. */
    private static Duration race(IntFunction<JobQueue> queueAt) throws Exception {
        List<Run> runs = new CopyOnWriteArrayList<>();
        CountDownLatch left = new CountDownLatch(JOBS);
        List<AutoCloseable> open = new ArrayList<>();
        try {
            JobQueue queue = queueAt.apply(0);
            open.add(queue);
            queue.types().change("one", settings -> settings.with(Limit.RUNNING, 1));
            queue.addAll(IntStream.range(0, JOBS)
                    .mapToObj(i -> JobRequest.builder("one")
                            .id("job-" + i)
                            .data(Map.of())
                            .build())
                    .toList());
            for (int i = 0; i < WORKERS; i++) {
                JobQueue own = queueAt.apply(i % 3);
                open.add(0, own);
                open.add(0, worker(own, runs, left));
            }
            assertThat(left.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("%d of %d jobs are left", left.getCount(), JOBS)
                    .isTrue();
        } finally {
            for (AutoCloseable one : open) {
                one.close();
            }
        }
        List<Run> inOrder =
                runs.stream().sorted(Comparator.comparing(Run::began)).toList();
        List<Duration> pauses = IntStream.range(1, inOrder.size())
                .mapToObj(i -> Duration.ofNanos(
                        inOrder.get(i).began() - inOrder.get(i - 1).ended()))
                .sorted(Comparator.reverseOrder())
                .toList();
        System.out.printf("the longest pauses between two runs of a type with one slot: %s%n", pauses.subList(0, 5));
        assertThat(pauses)
                .as("the time between two runs; negative when both ran")
                .allMatch(pause -> !pause.isNegative());
        return pauses.get(0);
    }

    private static Worker worker(JobQueue queue, List<Run> runs, CountDownLatch left) {
        return queue.worker()
                .handler("one", (data, context) -> {
                    long began = System.nanoTime();
                    TestQueue.work(10);
                    runs.add(new Run(began, System.nanoTime()));
                    left.countDown();
                    return null;
                })
                .start();
    }

    private record Run(long began, long ended) {}
}

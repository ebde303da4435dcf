package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.worker.SimulatedWorker;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A fleet of workers on a simulated cluster where no node fails: which claims and messages it wastes, and how soon it takes over the
 * jobs of workers that were killed. Each worker runs one job at a time. The fleet is small unless {@code
 * -Dcouchjobs.simulation.fleet} gives the numbers of nodes, workers and jobs, such as {@code 10,200,4000}. It prints the figures of
 * {@code docs/scale.md}.
 */
class FleetSimulationTest {
    private static final int[] SIZE = Stream.of(
                    System.getProperty("couchjobs.simulation.fleet", "5,20,200").split(","))
            .mapToInt(Integer::parseInt)
            .toArray();
    private static final int NODES = SIZE[0];
    private static final int WORKERS = SIZE[1];
    private static final int JOBS = SIZE[2];
    private static final Duration LONG = Duration.ofMinutes(1);

    private final World world = new World(Plan.PLAYED.on(NODES), 1);
    private final Messages messages = new Messages();
    private final List<FleetWorker> workers = new ArrayList<>();
    /** When its runs began, by job. */
    private final Map<JobId, List<Long>> starts = new HashMap<>();

    private final Client creator = world.client("creator", 0);
    private long began;
    private int added;
    private int ended;

    /** Counts what workers ask. */
    private static final class Messages implements Watcher {
        private long requests;
        private long claims;

        @Override
        public void sending(Exchange exchange) {
            requests++;
            claims += exchange.sent().stream()
                    .filter(sent -> sent.what() == Sent.What.OWNED)
                    .count();
        }
    }

    /** Claims one job after the other, and runs it. */
    private final class FleetWorker {
        private final Client client;
        private final String id;
        private final SimulatedWorker worker;
        private @Nullable LeasedJob claim;

        FleetWorker(int number) {
            this.id = "w" + number;
            this.client = world.client(id, number % NODES);
            this.worker = new SimulatedWorker(client.parts(), id, World.TYPE, this::runs, this::holds);
        }

        private boolean runs(JobId job) {
            return claim != null && claim.id().equals(job);
        }

        private boolean holds(String token) {
            return claim != null && claim.token().equals(token);
        }

        void start() {
            client.process().play("worker", () -> {
                client.parts()
                        .index()
                        .owned(); // chooses the design documents, for which others would wait in real time
                worker.start();
                worker.register();
                Finder finder = new Finder(client.parts(), id);
                while (true) {
                    accept(finder).forEach(this::run);
                }
            });
        }

        private List<LeasedJob> accept(Finder finder) {
            try {
                return finder.accept(AcceptOptions.of(World.TYPE).max(1).timeout(LONG));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void run(LeasedJob next) {
            claim = next;
            starts.computeIfAbsent(next.id(), first -> new ArrayList<>())
                    .add(world.time().now());
            worker.keep(next, () -> {});
            client.process()
                    .pause(Duration.ofMillis(next.job().data().path("millis").asLong()));
            next.finish(NullNode.getInstance());
            worker.ended(next);
            claim = null;
            ended++;
        }
    }

    @BeforeEach
    void start() {
        IntStream.range(0, WORKERS).mapToObj(FleetWorker::new).forEach(workers::add);
        workers.forEach(FleetWorker::start);
        world.time().pass(Duration.ofSeconds(20));
        world.watchers().add(messages);
        began = world.time().now();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void an_idle_fleet_claims_a_lonely_job_about_once() {
        int lonely = Math.max(10, JOBS / 40);
        for (int job = 0; job < lonely; job++) {
            add(1, Duration.ofMillis(10));
            world.time().pass(Duration.ofSeconds(1));
        }
        awaitAll();
        tell("one job a second", lonely);
        assertThat(messages.claims).isLessThanOrEqualTo(2L * lonely);
    }

    @Test
    void a_busy_fleet_wastes_few_claims() {
        add(JOBS, Duration.ofSeconds(2));
        awaitAll();
        tell("all at once", JOBS);
        assertThat(messages.claims).isLessThanOrEqualTo(2L * JOBS);
    }

    @Test
    void the_jobs_of_killed_workers_are_taken_over_soon_after_their_lease() {
        add(WORKERS / 2, LONG);
        world.time().pass(Duration.ofSeconds(10));
        List<JobId> left = new ArrayList<>();
        for (FleetWorker worker : workers) {
            if (worker.claim != null && left.size() < WORKERS / 5) {
                left.add(worker.claim.id());
                worker.client.process().kill();
            }
        }
        long killed = world.time().now();
        awaitAll();
        long[] after = left.stream()
                .mapToLong(job -> TimeUnit.MICROSECONDS.toMillis(starts.get(job).get(1) - killed))
                .sorted()
                .toArray();
        System.out.printf(
                "%d jobs taken over with a timeout of %s: after %d ms, in the middle %d ms, at last %d ms%n",
                after.length, world.plan().timeout(), after[0], after[after.length / 2], after[after.length - 1]);
        assertThat(after).hasSize(WORKERS / 5);
        assertThat(after[after.length - 1])
                .isLessThan(world.plan().timeout().multipliedBy(2).toMillis());
    }

    private void add(int count, Duration length) {
        List<JobRequest> requests = IntStream.range(0, count)
                .mapToObj(job -> JobRequest.builder(World.TYPE)
                        .data(Map.of("millis", length.toMillis()))
                        .build())
                .toList();
        creator.process().play("creator", () -> new Creator(
                        creator.parts().store(), creator.parts().clock())
                .add(requests, false));
        added += count;
    }

    private void awaitAll() {
        world.time().until(() -> ended >= added);
    }

    private void tell(String what, int jobs) {
        System.out.printf(
                "%d nodes, %d workers, %d jobs, %s: %.2f claims and %.1f messages per job, %.1f s%n",
                NODES,
                WORKERS,
                jobs,
                what,
                messages.claims / (double) jobs,
                messages.requests / (double) jobs,
                (world.time().now() - began) / 1e6);
    }
}

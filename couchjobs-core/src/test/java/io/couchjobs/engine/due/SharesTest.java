package io.couchjobs.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.due.SimulatedFleet.Member;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several workers share jobs without talking: how seldom they meet, and what becomes of the share of one that does not come. */
class SharesTest {
    private static final int FLEETS = 8;
    private static final int DRAINING = 4;
    private static final int JOBS = 64;

    /** Always the same: of very many seeds, some would exceed the bounds. */
    private final long seed = Long.getLong("couchjobs.seed", 7);

    @ParameterizedTest
    @ValueSource(ints = {4, 20, 60})
    void an_idle_fleet_makes_about_one_attempt_to_claim_a_new_job(int slowest) {
        SimulatedFleet fleet = herd(slowest);
        addOneByOne(fleet);
        assertThat(fleet.attempts()).as("attempts, seed %d", seed).isBetween(JOBS, JOBS * 5 / 4);
        assertThat(latest(fleet)).as("ms, seed %d", seed).isLessThan(500);
    }

    /** Of several fleets together: the attempts of a single one scatter, and of one in forty they would be a little more. */
    @Test
    void on_a_slow_machine_the_fleet_learns_to_be_patient() {
        int attempts = 0;
        for (int i = 0; i < FLEETS; i++) {
            SimulatedFleet fleet = herd(seed + i, 300);
            addOneByOne(fleet);
            attempts += fleet.attempts();
        }
        assertThat(attempts).as("attempts, seeds from %d on", seed).isBetween(FLEETS * JOBS, FLEETS * JOBS * 3 / 2);
    }

    @Test
    void a_job_whose_worker_has_just_died_is_taken_over_soon_and_by_few() {
        assertTakenOver(Member::die);
    }

    @Test
    void a_job_that_its_worker_refuses_is_taken_over_soon_and_by_few() {
        assertTakenOver(Member::refuse);
    }

    @Test
    void a_job_that_its_worker_refuses_is_taken_over_while_all_have_much_to_do() {
        SimulatedFleet fleet = new SimulatedFleet(seed, 100);
        fleet.join(1, 50).refuse(job -> job.id().id().startsWith("a"));
        fleet.join(1, 50);
        fleet.addKnown(2_000);
        IntStream.range(0, 10).forEach(i -> fleet.add("a" + i));
        fleet.pass(90_000);
        assertThat(fleet.runs()).as("both are busy all the time").isGreaterThan(300);
        assertThat(IntStream.range(0, 10)
                        .mapToLong(i -> fleet.start("a" + i))
                        .max()
                        .orElseThrow())
                .as("ms, seed %d", seed)
                .isLessThan(90_000);
    }

    private void assertTakenOver(Consumer<Member> fate) {
        SimulatedFleet fleet = new SimulatedFleet(seed, 10);
        List<Member> members =
                IntStream.range(0, 32).mapToObj(i -> fleet.join(1, 10)).toList();
        members.subList(0, 24).forEach(fate);
        addOneByOne(fleet);
        assertThat(fleet.attempts()).as("attempts, seed %d", seed).isBetween(JOBS, JOBS * 3 / 2);
        assertThat(latest(fleet)).as("ms, seed %d", seed).isLessThan(1_500);
    }

    @Test
    void a_job_whose_worker_is_full_is_taken_over_soon() {
        SimulatedFleet busy = new SimulatedFleet(seed, 10);
        IntStream.range(0, 32).forEach(i -> busy.join(1, 3_600_000));
        IntStream.range(0, 32).forEach(i -> {
            long added = busy.millis();
            busy.add(String.valueOf(i));
            busy.pass(3_000);
            assertThat(busy.start(String.valueOf(i)) - added)
                    .as("ms when %d of 32 are full, seed %d", i, seed)
                    .isLessThan(1_500);
        });
    }

    /** Of several fleets together: one in three hundred would need a little more. */
    @ParameterizedTest
    @ValueSource(ints = {10, 100})
    void four_workers_drain_a_queue_and_seldom_meet(int slowest) {
        int alone = drained(fleetOf(1, seed, slowest), 2_000);
        int attempts = 0;
        for (int i = 0; i < DRAINING; i++) {
            SimulatedFleet four = fleetOf(4, seed + i, slowest);
            int together = drained(four, 2_000);
            assertThat(together)
                    .as("ms instead of %d, seed %d", alone, seed + i)
                    .isLessThan(alone / 2);
            attempts += four.attempts();
        }
        assertThat(attempts).as("attempts, seeds from %d on", seed).isBetween(DRAINING * 2_000, DRAINING * 2_100);
    }

    @Test
    void the_share_of_a_dead_worker_is_drained_by_the_others() {
        SimulatedFleet fleet = new SimulatedFleet(seed, 10);
        fleet.join(200, 20).die();
        IntStream.range(0, 3).forEach(i -> fleet.join(200, 20));
        int millis = drained(fleet, 2_000);
        assertThat(fleet.attempts()).as("attempts, seed %d", seed).isBetween(2_000, 2_100);
        assertThat(millis).as("ms, seed %d", seed).isLessThan(1_500);
    }

    @Test
    void the_share_of_a_slow_worker_is_drained_by_the_others() {
        SimulatedFleet fleet = new SimulatedFleet(seed, 10);
        fleet.join(1, 100);
        IntStream.range(0, 3).forEach(i -> fleet.join(200, 20));
        int millis = drained(fleet, 2_000);
        assertThat(fleet.attempts()).as("attempts, seed %d", seed).isBetween(2_000, 2_100);
        assertThat(millis)
                .as("ms, alone the slow one would need 50 s; seed %d", seed)
                .isLessThan(3_000);
    }

    private SimulatedFleet herd(int slowest) {
        return herd(seed, slowest);
    }

    private static SimulatedFleet herd(long seed, int slowest) {
        SimulatedFleet fleet = new SimulatedFleet(seed, slowest);
        IntStream.range(0, 32).forEach(i -> fleet.join(1, 10));
        return fleet;
    }

    private static SimulatedFleet fleetOf(int workers, long seed, int slowest) {
        SimulatedFleet fleet = new SimulatedFleet(seed, slowest);
        IntStream.range(0, workers).forEach(i -> fleet.join(100, 20));
        return fleet;
    }

    private static int drained(SimulatedFleet fleet, int jobs) {
        fleet.addKnown(jobs);
        fleet.untilClaimed(jobs);
        return (int) fleet.millis();
    }

    private static void addOneByOne(SimulatedFleet fleet) {
        for (int i = 0; i < JOBS; i++) {
            fleet.add("one" + i);
            fleet.pass(10_000);
        }
        assertThat(fleet.runs()).isEqualTo(JOBS);
    }

    /** How long the job that waited longest had to wait. */
    private static long latest(SimulatedFleet fleet) {
        return IntStream.range(0, JOBS)
                .mapToLong(i -> fleet.start("one" + i) - 10_000L * i)
                .max()
                .orElseThrow();
    }
}

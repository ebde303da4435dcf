package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The queue on a simulated cluster, one life per seed: more of them by {@code -Dcouchjobs.simulation.seeds=10000}, others by
 * {@code -Dcouchjobs.simulation.first=5000}. A seed that failed is lived again, with its journal printed, by
 *
 * <pre>./mvnw test -pl couchjobs-core -am -Dtest=SimulationTest#one_seed -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dcouchjobs.simulation.seed=SEED</pre>
 */
@Execution(ExecutionMode.CONCURRENT)
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("couchjobs.simulation.seeds", 300);
    private static final long FIRST = Long.getLong("couchjobs.simulation.first", 1);
    private static final int MOST_FOR_THE_NAIVE = 50;

    private static List<String> live(World.Plan plan, long seed) {
        try (World world = new World(plan, seed)) {
            return world.live();
        }
    }

    @Test
    void no_seed_breaks_a_promise() {
        assertThat(failures(World.Plan.DEFAULT, SEEDS)).isEmpty();
    }

    @Test
    void no_seed_breaks_a_promise_when_jobs_have_several_leaves_all_the_time() {
        assertThat(failures(World.Plan.crowded(Door.Protocol.ONLY_201), SEEDS / 6))
                .isEmpty();
    }

    @Test
    void no_seed_breaks_a_promise_when_creators_soon_want_their_jobs_otherwise() {
        assertThat(failures(World.Plan.FICKLE, SEEDS / 6)).isEmpty();
    }

    private static List<String> failures(World.Plan plan, int seeds) {
        long began = System.nanoTime();
        List<String> failed = LongStream.range(FIRST, FIRST + seeds)
                .parallel()
                .mapToObj(seed -> judged(plan, seed))
                .filter(verdict -> !verdict.isEmpty())
                .toList();
        System.out.printf(
                "%d seeds from %d on: %d failed, %.1f seeds per second%n",
                seeds, FIRST, failed.size(), seeds * 1e9 / (System.nanoTime() - began));
        return failed;
    }

    private static String judged(World.Plan plan, long seed) {
        List<String> violations = live(plan, seed);
        return violations.isEmpty() ? "" : "seed " + seed + ": " + violations.get(0);
    }

    /**
     * Seeds that failed once: removed while it ran (186, 304); an orphan leaf of a worker that lives (125, 192, 444); a claim
     * that was confirmed when its lease was over (11791); a creation that arrived after the removal (12992); claims on two leaves,
     * which two creators of one job had left (9, 8409, 34597); a job that was removed and came back from an old copy (4215, 7638).
     */
    @ParameterizedTest
    @ValueSource(longs = {9, 125, 186, 192, 304, 444, 4215, 7638, 8409, 11791, 12992, 34597})
    void what_failed_once_does_not_again(long seed) {
        assertThat(live(World.Plan.DEFAULT, seed)).isEmpty();
    }

    /**
     * Seeds of the crowded plan that failed once: two resolvers who saw a claim and its withdrawal lost the job between them
     * (106); an insert that came late, on top of a leaf that had lost, had the job run again after its end (1704).
     */
    @ParameterizedTest
    @ValueSource(longs = {106, 1704})
    void what_failed_once_in_a_crowd_does_not_again(long seed) {
        assertThat(live(World.Plan.crowded(Door.Protocol.ONLY_201), seed)).isEmpty();
    }

    /**
     * Seeds of the fickle plan that failed once: jobs were run though they were cancelled (36, 53, 116, 121), put off (120, 175, 389)
     * or removed (112, 150, 230) through a node that was cut off; an end that only a minority had was run again by the others (1, 176,
     * 204, 289).
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 36, 53, 112, 116, 120, 121, 150, 175, 176, 204, 230, 289, 389})
    void what_failed_once_when_creators_wanted_their_jobs_otherwise_does_not_again(long seed) {
        assertThat(live(World.Plan.FICKLE, seed)).isEmpty();
    }

    @Test
    void a_seed_is_lived_the_same_way_twice() {
        assertThat(journal(77)).isEqualTo(journal(77)).isNotEqualTo(journal(78));
    }

    private static List<String> journal(long seed) {
        try (World world = new World(World.Plan.DEFAULT, seed)) {
            List<String> unused = world.live();
            return world.journal().lines();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "couchjobs.simulation.seed", matches = "-?\\d+")
    void one_seed() {
        long seed = Long.getLong("couchjobs.simulation.seed", 1);
        World.Plan plan =
                switch (System.getProperty("couchjobs.simulation.plan", "default")) {
                    case "crowded" -> World.Plan.crowded(Door.Protocol.ONLY_201);
                    case "fickle" -> World.Plan.FICKLE;
                    default -> World.Plan.DEFAULT;
                };
        try (World world = new World(plan, seed)) {
            List<String> violations = world.live();
            world.journal().lines().forEach(System.out::println);
            assertThat(violations).isEmpty();
        }
    }

    /** So the checker can fail. */
    @Test
    void who_takes_any_success_for_a_confirmation_is_caught_within_a_few_seeds() {
        System.out.println("caught by seed " + firstWithTwoOwners(World.Plan.of(Door.Protocol.ANY_SUCCESS)));
    }

    /** So the reading that comes after a claim is worth its price. */
    @Test
    void who_does_not_see_the_other_leaves_of_a_job_is_caught_within_a_few_seeds() {
        System.out.println("caught by seed " + firstWithTwoOwners(World.Plan.crowded(Door.Protocol.ONLY_OWN_LEAVES)));
    }

    private static long firstWithTwoOwners(World.Plan plan) {
        return LongStream.rangeClosed(1, MOST_FOR_THE_NAIVE)
                .filter(one -> live(plan, one).stream().anyMatch(violation -> violation.startsWith("two owners")))
                .findFirst()
                .orElseThrow();
    }
}

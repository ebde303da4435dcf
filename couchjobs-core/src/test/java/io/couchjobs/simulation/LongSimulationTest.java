package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Many lives of all plans in turn, on three nodes and on five, in one thread. It tells each minute how far it is, and each seed that
 * breaks a promise, at once:
 *
 * <pre>./mvnw test -pl couchjobs-core -am -Dtest=LongSimulationTest -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dsurefire.jvm="-XX:+UseSerialGC -Djdk.virtualThreadScheduler.parallelism=1" \
 *     -Dcouchjobs.simulation.long=100000 -Dcouchjobs.simulation.first=1</pre>
 *
 * Here Java's second compiler pays, and Java 25 is faster than 17, as it needs no thread of the system for each actor. {@link
 * SimulationTest#one_seed} lives a seed again; its plan is told with the seed, such as {@code PINNED/5}.
 */
class LongSimulationTest {
    private static final int LIVES = Integer.getInteger("couchjobs.simulation.long", 0);
    private static final long FIRST = Long.getLong("couchjobs.simulation.first", 1);
    private static final List<Plan> PLANS = Stream.of(3, 5)
            .flatMap(
                    nodes -> Stream.concat(Plan.OLD.stream(), Plan.NEW.stream()).map(plan -> plan.on(nodes)))
            .distinct()
            .toList();

    private final long began = System.nanoTime();
    private final List<String> failed = new ArrayList<>();

    @Test
    @Timeout(value = 30, unit = TimeUnit.DAYS)
    @EnabledIfSystemProperty(named = "couchjobs.simulation.long", matches = "\\d+")
    void no_seed_of_any_plan_breaks_a_promise_on_three_nodes_and_on_five() {
        long told = began;
        for (int lived = 0; lived < LIVES; lived++) {
            live(PLANS.get(lived % PLANS.size()), FIRST + lived);
            if (System.nanoTime() - told > TimeUnit.MINUTES.toNanos(1)) {
                told = System.nanoTime();
                tell(lived + 1);
            }
        }
        tell(LIVES);
        assertThat(failed).isEmpty();
    }

    private void live(Plan plan, long seed) {
        try (World world = new World(plan, seed)) {
            world.live().stream().findFirst().ifPresent(violation -> fail(plan, seed, violation));
        } catch (IllegalStateException broken) {
            fail(plan, seed, broken + ", " + broken.getCause());
        }
    }

    private void fail(Plan plan, long seed, String violation) {
        failed.add(plan + " seed " + seed);
        System.out.println(plan + " seed " + seed + ": " + violation);
    }

    private void tell(int lived) {
        System.out.printf(
                "%d of %d lives from seed %d on, %d failed, %.1f per second%n",
                lived, LIVES, FIRST, failed.size(), lived * 1e9 / (System.nanoTime() - began));
    }
}

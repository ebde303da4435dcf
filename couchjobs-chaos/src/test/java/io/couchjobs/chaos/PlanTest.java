package io.couchjobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static Plan plan(long seed) {
        return plan(seed, 600);
    }

    private static Plan plan(long seed, int seconds) {
        Options options = Options.parse(List.of("--seconds", Integer.toString(seconds)));
        return Plan.of(seed, options, 3, EnumSet.allOf(Fault.class));
    }

    @Test
    void a_seed_makes_the_same_plan_twice_and_another_one_another() {
        assertThat(plan(7)).isEqualTo(plan(7)).isNotEqualTo(plan(8));
    }

    @Test
    void in_two_minutes_there_is_every_fault() {
        for (long seed = 0; seed < 500; seed++) {
            assertThat(plan(seed, 120).steps().stream().map(Plan.Step::fault))
                    .as("seed %d", seed)
                    .contains(Fault.values());
        }
    }

    @Test
    void among_forty_jobs_in_a_row_there_is_every_kind_but_chunks_of_arrays_and_those_of_changes() {
        Set<Kind> dealt = EnumSet.complementOf(EnumSet.of(Kind.ITEMS, Kind.NEWEST, Kind.EACH));
        for (long seed = 0; seed < 500; seed++) {
            Deck<Kind> kinds = Kind.deck(new Random(seed));
            assertThat(Stream.generate(kinds::next).limit(40).collect(Collectors.toSet()))
                    .as("seed %d", seed)
                    .isEqualTo(dealt);
        }
    }

    @Test
    void every_fault_is_over_in_the_end() {
        assertThat(plan(7).steps()).allSatisfy(step -> assertThat(step.until()).isBetween(step.from(), 600_000L));
    }

    @Test
    void a_fault_that_is_not_possible_is_not_planned() {
        Plan plan = Plan.of(7, Options.parse(List.of()), 1, Set.of(Fault.CLOCK));
        assertThat(plan.steps()).isNotEmpty().allMatch(step -> step.fault() == Fault.CLOCK);
    }

    @Test
    void one_node_of_a_cluster_is_away_at_a_time() {
        List<Plan.Step> steps = plan(7).steps().stream()
                .filter(step -> step.fault().target() == Fault.Target.SERVER)
                .toList();
        for (int i = 1; i < steps.size(); i++) {
            assertThat(steps.get(i).from()).isGreaterThan(steps.get(i - 1).until());
        }
    }

    @Test
    void a_wiped_node_is_filled_again_before_the_next_one_is_wiped() {
        for (long seed = 0; seed < 50; seed++) {
            List<Plan.Step> wipes = plan(seed).steps().stream()
                    .filter(step -> step.fault() == Fault.WIPE_SERVER)
                    .toList();
            for (int i = 1; i < wipes.size(); i++) {
                assertThat(wipes.get(i).from() - wipes.get(i - 1).until())
                        .as("seed %d", seed)
                        .isGreaterThanOrEqualTo(60_000);
            }
        }
    }

    @Test
    void options_are_read_as_they_are_written() {
        Options options = Options.parse(
                Arrays.asList("--seconds", "5", "--seed", "3", "--url", "http://one:5984", "--url", "http://two:5984"));
        assertThat(options.seconds).isEqualTo(5);
        assertThat(options.seed).isEqualTo(3);
        assertThat(options.nodes).hasSize(2);
    }

    @Test
    void an_option_that_is_not_known_is_named() {
        assertThatThrownBy(() -> Options.parse(List.of("--second", "5"))).hasMessageContaining("--second");
    }
}

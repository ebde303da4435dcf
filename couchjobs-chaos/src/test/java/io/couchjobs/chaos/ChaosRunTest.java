package io.couchjobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run of {@code .ci/chaos} as a test, with an embedded server. The folder of its evidence is told in its output. */
@Tag("chaos")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Execution(ExecutionMode.CONCURRENT)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no signal stops a process there")
class ChaosRunTest {
    private static final String SHORT_SECONDS = "15";

    /** The longest run begins first, and the others run beside it. */
    @Test
    @Order(1)
    void no_promise_is_broken() throws Exception {
        run("--seconds", System.getProperty("couchjobs.chaos.seconds", "60"));
    }

    @Test
    void no_promise_is_broken_where_each_process_may_do_only_what_its_role_covers() throws Exception {
        run("--seconds", SHORT_SECONDS, "--secure");
    }

    @Test
    void no_promise_to_arrays_is_broken() throws Exception {
        run("--seconds", SHORT_SECONDS, "--items", "300");
    }

    @Test
    void no_change_of_a_document_is_lost() throws Exception {
        run("--seconds", SHORT_SECONDS, "--sources", "5", "--changes", "60");
    }

    /** Where there are more faults, on a node or a cluster of CouchDB: docs/chaos.md tells what it was. */
    @ParameterizedTest
    @ValueSource(longs = {601, 602, 901, 950})
    void no_promise_is_broken_by_a_plan_by_which_one_was_before(long seed) throws Exception {
        run(seed, "--seconds", SHORT_SECONDS);
    }

    private static void run(String... arguments) throws Exception {
        run(Long.getLong("couchjobs.chaos.seed", System.currentTimeMillis() % 1_000_000), arguments);
    }

    private static void run(long seed, String... arguments) throws Exception {
        Options options = Options.parse(List.of(arguments));
        options.seed = seed;
        Verdict verdict = new ChaosRun(options).run();
        System.out.println(verdict.figures());
        assertThat(verdict.violations()).as("seed %d", seed).isEmpty();
    }
}

package io.couchjobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run of {@code .ci/chaos} as a test, with an embedded server. The folder of its evidence is told in its output. */
@Tag("chaos")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no signal stops a process there")
class ChaosRunTest {
    private static final int SHORT_SECONDS = 15;

    @Test
    void no_promise_is_broken() throws Exception {
        run(
                Long.getLong("couchjobs.chaos.seed", System.currentTimeMillis() % 1_000_000),
                Integer.getInteger("couchjobs.chaos.seconds", 60));
    }

    /** Where there are more faults, on a node or a cluster of CouchDB: docs/chaos.md tells what it was. */
    @ParameterizedTest
    @ValueSource(longs = {601, 602, 901, 950})
    void no_promise_is_broken_by_a_plan_by_which_one_was_before(long seed) throws Exception {
        run(seed, SHORT_SECONDS);
    }

    private static void run(long seed, int seconds) throws Exception {
        Options options = Options.standard(seed).withSeconds(seconds).withFolder(Path.of("target", "chaos"));
        Verdict verdict = new ChaosRun(options).run();
        System.out.println(verdict.figures());
        assertThat(verdict.violations()).as("seed %d", seed).isEmpty();
    }
}

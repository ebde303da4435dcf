package io.couchjobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A run of {@code .ci/chaos} as a test, with an embedded server. The folder of its evidence is told in its output. */
@Tag("chaos")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no signal stops a process there")
class ChaosRunTest {
    @Test
    void no_promise_is_broken() throws Exception {
        Options options = Options.standard(Long.getLong("couchjobs.chaos.seed", System.currentTimeMillis() % 1_000_000))
                .withSeconds(Integer.getInteger("couchjobs.chaos.seconds", 60))
                .withFolder(Path.of("target", "chaos"));
        Verdict verdict = new ChaosRun(options).run();
        System.out.println(verdict.figures());
        assertThat(verdict.violations()).as("seed %d", options.seed()).isEmpty();
    }
}

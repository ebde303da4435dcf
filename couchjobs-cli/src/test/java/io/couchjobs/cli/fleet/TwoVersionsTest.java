package io.couchjobs.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.type.Limit;
import io.couchjobs.type.TypeSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers of an earlier version and of this one on one database, each with its own design documents. The earlier one is the jar that
 * {@code -Dcouchjobs.previous=FILE} names, such as the one that {@code .ci/previous} builds.
 */
@Tag("fleet")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@DisabledOnOs(OS.WINDOWS)
@ExtendWith(CouchExtension.class)
class TwoVersionsTest {
    /** Jobs of a killed worker stand still until its lease is over. The rest is for a slow machine. */
    private static final long LONGEST_PAUSE_MS = FleetRun.LEASE.multipliedBy(12).toMillis();

    @Test
    void two_versions_lose_no_job_share_none_do_not_stand_still_and_keep_each_others_settings(
            TestDatabase database, @TempDir Path folder) throws Exception {
        assumeTrue(Kind.PREVIOUS.canRun(), "couchjobs.previous names no jar of an earlier version");
        byPrevious(database, "init");
        try (JobQueue queue = FleetRun.open(database)) {
            List<Kind> kinds = List.of(Kind.PREVIOUS, Kind.JAVA, Kind.PREVIOUS, Kind.JAVA);
            Runs runs = new FleetRun(database, queue, folder).of("two versions", kinds, FleetRun.JOBS / 4, () -> {
                queue.types().change(Kind.TYPE, settings -> settings.with(Limit.RUNNING, 50));
                byPrevious(database, "type", "set", Kind.TYPE, "--max-retries", "7");
                queue.types().change(Kind.TYPE, settings -> settings.withClasses(List.of("")));
            });
            assertThat(runs.longestPause()).isLessThan(LONGEST_PAUSE_MS);
            TypeSettings settings = queue.types().settings(Kind.TYPE);
            assertThat(settings.get(Limit.RUNNING)).hasValue(50);
            assertThat(settings.retryPolicy().maxRetries()).isEqualTo(7);
            assertThat(settings.classes()).isPresent();
            assertThat(queue.operations().malformed()).isEmpty();
        }
    }

    private static void byPrevious(TestDatabase database, String... arguments) throws Exception {
        ProcessBuilder command = Kind.previous(List.of(arguments));
        Kind.configure(command, database);
        assertThat(command.start().waitFor()).isZero();
    }
}

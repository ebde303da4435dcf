package io.couchjobs.cli.fleet;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
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
 * Creators and workers in several languages on one queue. More jobs by {@code -Dcouchjobs.fleet.jobs=10000}, another order of kills by
 * {@code -Dcouchjobs.fleet.seed=7}.
 */
@Tag("fleet")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@DisabledOnOs(OS.WINDOWS)
@ExtendWith(CouchExtension.class)
class MixedFleetTest {
    @Test
    void workers_in_three_languages_lose_nothing_and_share_no_job_when_they_are_killed(
            TestDatabase database, @TempDir Path folder) throws Exception {
        assumeTrue(Kind.PYTHON.canRun(), "Python 3.9 or later is not installed");
        assumeTrue(Kind.JAVASCRIPT.canRun(), "Node 18 or later is not installed");
        try (JobQueue queue = FleetRun.open(database)) {
            List<Kind> kinds =
                    List.of(Kind.JAVA, Kind.PYTHON, Kind.JAVASCRIPT, Kind.JAVA, Kind.PYTHON, Kind.JAVASCRIPT);
            Runs unused = new FleetRun(database, queue, folder).of("mixed fleet", kinds, FleetRun.JOBS, () -> {});
        }
    }
}

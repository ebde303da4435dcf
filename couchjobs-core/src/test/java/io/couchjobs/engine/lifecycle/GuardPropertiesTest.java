package io.couchjobs.engine.lifecycle;

import static io.couchjobs.testing.Jobs.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.admin.PretendedUser;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.OneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whatever couchjobs does to a job passes the guard, and what nobody may do does not. Failures name the seed. */
@ServerTest
class GuardPropertiesTest {
    private static final int JOBS = 30;
    private static final int STEPS = 20;
    private static final int STATUSES = JobStatus.values().length;
    private static final int STEPS_TO_SEE_EVERY_STATUS = 500;

    @Test
    void every_step_of_the_state_machine_passes_and_every_forged_one_is_refused(TestDatabase database) {
        long seed = Long.getLong("couchjobs.guard.seed", new Random().nextLong());
        Random random = new Random(seed);
        try (OneCopy oneCopy = new OneCopy(database);
                JobQueue queue = TestQueue.open(oneCopy.database())) {
            PretendedUser.whoeverIsNamed(queue.database());
            List<Job> jobs = new ArrayList<>();
            for (int i = 0; i < JOBS; i++) {
                jobs.add(null);
            }
            Set<JobStatus> seen = EnumSet.noneOf(JobStatus.class);
            Set<String> forgeries = new java.util.TreeSet<>();
            for (int n = 0; n < STEPS || (seen.size() < STATUSES && n < STEPS_TO_SEE_EVERY_STATUS); n++) {
                List<GuardedStep> steps = new ArrayList<>();
                List<GuardedStep> forged = new ArrayList<>();
                for (int i = 0; i < JOBS; i++) {
                    GuardedSteps possible = new GuardedSteps(random, NOW.plusSeconds(n), "j" + i);
                    steps.add(possible.legal(jobs.get(i)));
                    forged.add(possible.forged(jobs.get(i)));
                }
                List<WriteResult> refused = write(queue.database(), forged);
                List<WriteResult> stored = write(queue.database(), steps);
                for (int i = 0; i < JOBS; i++) {
                    assertThat(refused.get(i))
                            .as("seed %d, forged: %s of %s", seed, forged.get(i), jobs.get(i))
                            .isInstanceOfSatisfying(WriteResult.Refused.class, no -> assertThat(no.reason())
                                    .startsWith("couchjobs: "));
                    forgeries.add(forged.get(i).what());
                    assertThat(stored.get(i))
                            .as("seed %d, legal: %s of %s", seed, steps.get(i), jobs.get(i))
                            .isInstanceOf(WriteResult.Stored.class);
                    jobs.set(i, after(steps.get(i), (WriteResult.Stored) stored.get(i)));
                    seen.add(jobs.get(i).status());
                }
            }
            assertThat(seen).as("seed %d", seed).containsAll(EnumSet.allOf(JobStatus.class));
            assertThat(forgeries).as("seed %d", seed).hasSizeGreaterThan(12);
        }
    }

    private static Job after(GuardedStep step, WriteResult.Stored stored) {
        ObjectNode document = step.document();
        document.put("_rev", stored.rev());
        return Job.parse(document);
    }

    private static List<WriteResult> write(CouchDatabase database, List<GuardedStep> steps) {
        return database.bulkDocs(steps.stream().map(GuardedStep::document).toList());
    }
}

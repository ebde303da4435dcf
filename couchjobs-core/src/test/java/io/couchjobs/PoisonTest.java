package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OtherProcess;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class PoisonTest {
    private static final int DEATHS = 2;
    private static final int OTHERS = 3;

    @Test
    void a_job_that_kills_its_worker_each_time_is_put_aside_and_those_claimed_with_it_run(TestDatabase database)
            throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            queue.types().change("email", settings -> settings.with(Limit.EXPIRATIONS, DEATHS - 1));
            add(queue, "poison", 1);
            for (int i = 0; i < OTHERS; i++) {
                add(queue, "other" + i, 2);
            }
            for (int i = 0; i < DEATHS; i++) {
                assertThat(diesOf("poison", database)).as("exit code").isEqualTo(Dying.DEAD);
            }
            assertThat(diesOf("poison", database)).as("exit code").isZero();

            Job poison = queue.get("email", "poison").orElseThrow();
            assertThat(poison.status()).isEqualTo(JobStatus.FAILED);
            assertThat(poison.errors())
                    .hasSizeBetween(DEATHS, DEATHS + 1) // on a cluster the claim that ends it says so, too
                    .extracting(JobError::kind)
                    .containsOnly(JobError.Kind.EXPIRED);
            assertThat(poison.errors().get(1).message()).contains("maxExpirations");
            assertThat(queue.list(JobFilter.all().type("email").status(JobStatus.FAILED), 10))
                    .extracting(job -> job.id().id())
                    .containsExactly("poison");
            for (int i = 0; i < OTHERS; i++) {
                Job other = queue.get("email", "other" + i).orElseThrow();
                assertThat(other.status()).isEqualTo(JobStatus.SUCCESS);
                assertThat(other.expirations()).isZero();
                assertThat(other.attempt()).isEqualTo(1);
            }
            Job again = queue.retryNow("email", "poison");
            assertThat(again.status()).isEqualTo(JobStatus.WAITING);
            assertThat(again.expirations()).isZero();
        }
    }

    private static void add(JobQueue queue, String id, long time) {
        queue.add(JobRequest.builder("email")
                .id(id)
                .data(Map.of())
                .scheduledTime(Jobs.past(time))
                .build());
    }

    private static int diesOf(String id, TestDatabase database) throws Exception {
        Process process = OtherProcess.start(Dying.class, database, id);
        try {
            return process.waitFor();
        } finally {
            process.destroyForcibly();
        }
    }

    /** A worker of always the same id, so that its own abandoned jobs are its own again at once. */
    static final class Dying {
        static final int DEAD = 66;

        private Dying() {}

        public static void main(String[] arguments) throws Exception {
            try (JobQueue queue = OtherProcess.queue();
                    Worker worker = queue.worker()
                            .id("w")
                            .concurrency(1)
                            .prefetch(OTHERS)
                            .untilEmpty()
                            .handler("email", (data, context) -> run(queue, context, arguments[0]))
                            .start()) {
                worker.awaitStopped();
            }
        }

        /** Dies when the other jobs are claimed, too. */
        private static String run(JobQueue queue, JobContext context, String deadly) throws Exception {
            if (context.id().id().equals(deadly)) {
                TestQueue.until(() -> queue.list(JobFilter.all().status(JobStatus.SCHEDULED), 10)
                                .size()
                        == OTHERS);
                Runtime.getRuntime().halt(DEAD);
            }
            return "ok";
        }
    }
}

package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.OtherProcess;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.io.BufferedReader;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@ServerTest
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no signal stops a process there")
class FrozenWorkerTest {
    @Test
    void a_worker_process_that_wakes_after_its_lease_interrupts_its_handler_and_stores_nothing(TestDatabase database)
            throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            queue.types().setTimeout("email", Duration.ofSeconds(2));
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            Process frozen = OtherProcess.start(OtherProcess.Working.class, database);
            try (BufferedReader says = frozen.inputReader()) {
                assertThat(says.readLine()).isEqualTo("running");
                signal(frozen, "STOP");
                Job job;
                try (Worker other = queue.worker()
                        .handler("email", (data, context) -> "other")
                        .start()) {
                    job = TestQueue.finished(queue, "email", "1");
                    TestQueue.until(() -> other.stats().recovered() >= 1);
                }
                // A machine that stands still for as long as the timeout may cost the second owner its lease, too.
                assertThat(job.expirations()).isPositive();
                signal(frozen, "CONT");
                assertThat(says.readLine()).as("what the handler was told").isEqualTo("HALTED");
                assertThat(says.readLine()).as("how the run ended").isEqualTo("HALTED");
                assertThat(queue.get("email", "1").orElseThrow().rev()).isEqualTo(job.rev());
            } finally {
                frozen.destroyForcibly();
            }
        }
    }

    private static void signal(Process process, String signal) throws Exception {
        int exitCode = new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                .start()
                .waitFor();
        assertThat(exitCode).isZero();
    }
}

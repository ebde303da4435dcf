package io.couchjobs.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@ServerTest
class ProcessHandlerTest extends OpenQueue {
    /** What the tests run in processes of their own. */
    static final class Jobs {
        public static void main(String[] args) throws Exception {
            int exit = new JsonMapper().readTree(System.in).path("exit").asInt();
            System.err.println("attempt " + System.getenv("COUCHJOBS_ATTEMPT") + " " + System.getenv("GREETING"));
            System.out.println("{\"heap\":" + (Runtime.getRuntime().maxMemory() >> 20) + "}");
            System.exit(exit);
        }
    }

    @Test
    void a_job_that_ends_its_process_ends_nothing_else() throws Exception {
        ProcessHandler handler = ProcessHandler.ofMain(Jobs.class, "-Xmx32m", "-XX:+UseSerialGC")
                .environment(Map.of("GREETING", "hello"));
        try (Worker worker = queue.worker().handler("java", handler).start()) {
            add("3", Map.of("exit", 3));
            add("65", Map.of("exit", 65));
            add("0", Map.of("exit", 0));
            Job good = TestQueue.finished(queue, "java", "0");
            assertThat(good.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(good.result().orElseThrow().path("heap").asInt()).isBetween(16, 32);
            assertThat(queue.logs()
                            .read("java", "0")
                            .flatMap(chunk -> chunk.lines().stream())
                            .map(line -> line.text()))
                    .containsExactly("attempt 1 hello");
            Job permanent = TestQueue.finished(queue, "java", "65");
            assertThat(permanent.status()).isEqualTo(JobStatus.FAILED);
            assertThat(permanent.attempt()).isEqualTo(1);
            TestQueue.until(() -> worker.stats().retried() == 1);
            assertThat(queue.get("java", "3").orElseThrow().status()).isEqualTo(JobStatus.STUCK);
        }
    }

    @Test
    void the_program_runs_where_it_is_told_to(@TempDir Path folder) throws Exception {
        try (Worker worker = queue.worker()
                .handler("java", ProcessHandler.of("pwd").directory(folder))
                .start()) {
            add("1", Map.of());
            assertThat(TestQueue.finished(queue, "java", "1")
                            .result()
                            .orElseThrow()
                            .path("output")
                            .asText())
                    .isEqualTo(folder.toRealPath().toString());
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    void a_command_that_cannot_be_started_is_refused_at_once() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProcessHandler.of("/no/such/file"))
                .withMessageContaining("/no/such/file");
        assertThatIllegalArgumentException().isThrownBy(ProcessHandler::of).withMessageContaining("command");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProcessHandler.of("true").grace(Duration.ofMillis(-1)))
                .withMessageContaining("grace");
    }

    private void add(String id, Map<String, Object> data) {
        queue.add(JobRequest.builder("java").id(id).data(data).build());
    }
}

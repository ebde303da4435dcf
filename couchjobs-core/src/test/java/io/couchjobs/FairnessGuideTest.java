package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of the guide on which job is taken next. */
@ServerTest
class FairnessGuideTest extends OpenQueue {
    private static final Path GUIDE = Path.of("../docs/fairness.md");

    // The examples of the guide.

    static Worker fairly(JobQueue queue) {
        for (int page = 1; page <= 100; page++) {
            queue.add(JobRequest.builder("render")
                    .group("big-customer")
                    .data(Map.of("page", page))
                    .build());
        }
        queue.add(JobRequest.builder("render")
                .id("urgent")
                .group("small-customer")
                .priority(Job.HIGH_PRIORITY)
                .data(Map.of("page", 1))
                .build());
        return queue.worker()
                .fair(2, 1)
                .concurrency(1)
                .handler("render", (data, context) -> Map.of("rendered", data.path("page")))
                .start();
    }

    static Worker small(JobQueue queue) {
        return queue.worker()
                .classes("preview", "")
                .filter(job -> job.data().path("megabytes").asInt(0) <= 10)
                .handler("render", (data, context) -> Map.of("rendered", true))
                .start();
    }

    // End of the examples.

    @Test
    void the_guide_quotes_the_examples_that_run() throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(GUIDE));
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/FairnessGuideTest.java"));
        int blocks = 0;
        while (block.find()) {
            blocks++;
            assertThat(withoutSpace(source)).contains(withoutSpace(block.group(1)));
        }
        assertThat(blocks).isEqualTo(2);
    }

    @Test
    void the_small_customer_is_not_behind_the_big_one() throws Exception {
        try (Worker worker = fairly(queue)) {
            Job urgent = TestQueue.finished(queue, "render", "urgent");
            assertThat(queue.all("render").filter(job -> isClaimedBefore(job, urgent)))
                    .hasSizeLessThanOrEqualTo(1);
            assertThat(worker.stats().skipped()).isZero();
        }
    }

    @Test
    void a_worker_leaves_what_is_too_large_or_of_another_class() throws Exception {
        queue.add(render("large").data(Map.of("megabytes", 11)).build());
        queue.add(render("poster").jobClass("poster").build());
        queue.add(render("preview").jobClass("preview").build());
        queue.add(render("none").data(Map.of("megabytes", 10)).build());
        try (Worker worker = small(queue)) {
            TestQueue.finished(queue, "render", "preview");
            TestQueue.finished(queue, "render", "none");
            TestQueue.until(() -> worker.stats().skipped() >= 2);
            assertThat(worker.stats().claimed()).isEqualTo(2);
        }
        assertThat(queue.get("render", "large").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        assertThat(queue.get("render", "poster").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
    }

    private static boolean isClaimedBefore(Job job, Job other) {
        Instant claimed = job.times().get("claimed");
        return claimed != null && claimed.isBefore(other.times().get("claimed"));
    }

    private static JobRequest.Builder render(String id) {
        return JobRequest.builder("render").id(id).data(Map.of());
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }
}

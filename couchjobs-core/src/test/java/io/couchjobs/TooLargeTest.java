package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.Map;
import org.junit.jupiter.api.Test;

@ServerTest
class TooLargeTest {
    @Test
    void a_job_that_is_too_large_is_refused_with_its_size_the_limit_and_what_to_do(TestDatabase database) {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server has no limit");
        try (JobQueue queue =
                TestQueue.builder(database).largestInlineData(Integer.MAX_VALUE).open()) {
            JobRequest large = JobRequest.builder("email")
                    .id("1")
                    .data(Map.of("x", "x".repeat(9_000_000)))
                    .build();

            assertThatThrownBy(() -> queue.add(large))
                    .isInstanceOf(WriteRefusedException.class)
                    .hasMessageMatching(".*\\(90\\d{5} bytes of JSON; max_document_size is 8000000\\).*")
                    .hasMessageContaining("largestInlineData");
        }
    }
}

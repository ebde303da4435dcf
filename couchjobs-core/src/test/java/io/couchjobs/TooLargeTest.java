package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
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

    @Test
    void a_refused_job_stops_no_other_of_the_call_but_those_that_wait_for_it(TestDatabase database) throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server has no limit");
        try (JobQueue queue =
                TestQueue.builder(database).largestInlineData(Integer.MAX_VALUE).open()) {
            queue.add(request("before").build());
            queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                    .get(0)
                    .finish();
            JobRequest large =
                    request("large").data(Map.of("x", "x".repeat(9_000_000))).build();
            List<JobRequest> requests = List.of(
                    request("good").build(),
                    large,
                    request("before").build(),
                    request("after good").after(request("good").build().id()).build(),
                    request("after large").after(large.id()).build());

            assertThat(queue.insertIfNew(requests)).containsExactly(true, false, true, true, false);
            assertThat(queue.get("email", "after large")).isEmpty();
            assertThat(queue.get("email", "before").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        }
    }

    private static JobRequest.Builder request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of());
    }
}

package io.couchjobs.engine.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Submission;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@ServerTest
class SubmitterTest {
    @Test
    void a_job_can_be_offered_to_very_many_scopes_of_which_one_runs(TestDatabase database) {
        List<Scope> many = IntStream.range(0, 50_000)
                .mapToObj(partition -> Scope.of("index", partition))
                .toList();
        try (JobQueue queue = TestQueue.open(database)) {
            queue.scopes().start(many.get(7));
            Submission submitted = queue.scopes()
                    .submit(many, JobRequest.builder("index").data(Map.of()).build());
            assertThat(submitted.accepted()).containsExactly(many.get(7));
        }
    }
}

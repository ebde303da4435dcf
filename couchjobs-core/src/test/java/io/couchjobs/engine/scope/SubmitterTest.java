package io.couchjobs.engine.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Submission;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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

    @Test
    void a_taken_job_that_could_not_be_withdrawn_after_its_scope_was_stopped_tells_its_end(TestDatabase database)
            throws Exception {
        Scope one = Scope.of("index", "1");
        JobRequest page = JobRequest.builder("index").id("a").data(Map.of()).build();
        BlockingQueue<Ending> ends = new LinkedBlockingQueue<>();
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue queue = TestQueue.open(proxy.door(database));
                JobQueue elsewhere = TestQueue.open(database)) {
            queue.scopes().start(one);
            proxy.detour(new Proxy.Detour() {
                @Override
                public boolean returns(Proxy.Request request) {
                    if (isWriteOfJob(request)) {
                        CouchDatabase there = elsewhere.database();
                        there.put(there.get(one.docId()).orElseThrow().put("running", false));
                    }
                    return true;
                }
            });
            Lost withdrawal = proxy.loseRequests(
                    100, request -> isWriteOfJob(request) && request.body().contains("\"_deleted\":true"));
            assertThat(queue.scopes().submit(one, page, ends::add).isAccepted()).isTrue();
            assertThat(withdrawal.count()).isPositive();
            proxy.clear();
            elsewhere.cancel(one.job("a"), CancelMode.IF_QUEUED);
            assertThat(ends.poll(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .extracting(Ending::outcome)
                    .isEqualTo(Ending.Outcome.CANCELLED);
        }
    }

    private static boolean isWriteOfJob(Proxy.Request request) {
        return request.isBulkWrite() && request.body().contains("\"_id\":\"job:");
    }
}

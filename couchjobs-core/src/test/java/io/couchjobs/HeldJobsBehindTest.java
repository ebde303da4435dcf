package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that waits for another one is let go soon, also where the first try could not do it. */
@ServerTest
class HeldJobsBehindTest extends ProxiedQueue {
    /** More often than there are events that are reasons to look. */
    private static final int MOST = 4;

    private static final JobId FIRST = new JobId("email", "first");

    @BeforeEach
    void prepare() {
        others.add(JobRequest.builder("email").id("first").data(Map.of()).build());
        others.add(JobRequest.builder("report")
                .id("last")
                .data(Map.of())
                .after(FIRST)
                .build());
    }

    @Test
    void by_an_end_that_the_copies_which_were_read_first_did_not_have() throws Exception {
        AtomicInteger behind = new AtomicInteger();
        proxy.detour(new PretendedCluster() {
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                boolean showsTheEnd = request.uri().getPath().endsWith("/_bulk_get")
                        && answer.contains(FIRST.docId())
                        && answer.contains("\"status\":\"success\"");
                return showsTheEnd && behind.getAndIncrement() == 0
                        ? answer.replace("\"status\":\"success\"", "\"status\":\"waiting\"")
                        : super.rewrites(request, answer);
            }
        });
        runs();
        assertThat(behind.get()).as("read too early, and again").isGreaterThan(1);
    }

    @Test
    void when_the_server_refused_the_write_at_first() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        proxy.detour(new Proxy.Detour() {
            @Override
            public Optional<String> answers(Proxy.Request request) {
                boolean letsGo = request.isBulkWrite()
                        && request.body().contains("job:report:last")
                        && !request.body().contains("\"lock\"");
                return letsGo && refused.getAndIncrement() < MOST
                        ? Optional.of("[{\"id\":\"job:report:last\",\"error\":\"forbidden\",\"reason\":\"not now\"}]")
                        : Optional.empty();
            }
        });
        runs();
        assertThat(refused.get()).isGreaterThan(MOST);
    }

    private void runs() throws InterruptedException {
        try (Worker worker =
                queue.worker().handler("report", (data, context) -> "done").start()) {
            others.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                    .get(0)
                    .finish();
            assertThat(TestQueue.finished(others, "report", "last").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.id()).isNotEmpty();
        }
    }
}

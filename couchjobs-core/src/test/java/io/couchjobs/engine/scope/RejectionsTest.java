package io.couchjobs.engine.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Submission;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

@ServerTest
class RejectionsTest {
    private static final Scope ONE = Scope.of("index", 1);

    @Test
    void a_number_that_could_not_be_written_is_written_later_though_nothing_more_is_turned_down(TestDatabase server)
            throws Exception {
        CountDownLatch refused = new CountDownLatch(1);
        try (Proxy proxy = Proxy.before(server.server());
                JobQueue queue = TestQueue.open(proxy.door(server))) {
            queue.scopes().start(ONE);
            queue.scopes().stop(ONE);
            queue.database()
                    .put(Jobs.json("{'_id':'_design/rules','validate_doc_update':"
                            + "'function (doc) { if (doc.rejected) { throw {forbidden: \\\"no\\\"}; } }'}"));
            proxy.detour(new Proxy.Detour() {
                @Override
                public boolean returns(Proxy.Request request) {
                    if (request.body().contains("\"rejected\"")) {
                        refused.countDown();
                    }
                    return true;
                }
            });
            JobRequest late = JobRequest.builder("index").data(Map.of()).build();
            assertThat(queue.scopes().submit(ONE, late).answer(ONE)).isEqualTo(Submission.Answer.SCOPE_SHUTDOWN);
            refused.await();
            queue.database()
                    .put(queue.database().get("_design/rules").orElseThrow().put("_deleted", true));
            TestQueue.until(() -> rejected(queue) == 1);
        }
    }

    @Test
    void a_question_for_the_numbers_waits_for_those_that_are_being_written(TestDatabase server) throws Exception {
        try (Proxy proxy = Proxy.before(server.server());
                JobQueue queue = TestQueue.open(proxy.door(server))) {
            queue.scopes().start(ONE);
            queue.scopes().stop(ONE);
            Held write = proxy.holdRequest(request -> request.body().contains("\"rejected\""));
            JobRequest late = JobRequest.builder("index").data(Map.of()).build();
            assertThat(queue.scopes().submit(ONE, late).answer(ONE)).isEqualTo(Submission.Answer.SCOPE_SHUTDOWN);
            write.awaitArrival();
            FutureTask<Long> question =
                    new FutureTask<>(() -> queue.scopes().stats(ONE).rejected());
            Thread asking = new Thread(question);
            asking.start();
            TestQueue.until(() -> question.isDone() || isWaitingForOther(asking));
            write.release();
            assertThat(question.get()).isEqualTo(1);
        }
    }

    private static boolean isWaitingForOther(Thread asking) {
        return LockSupport.getBlocker(asking) instanceof AbstractOwnableSynchronizer
                && Arrays.stream(asking.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(Rejections.class.getName()));
    }

    private static int rejected(JobQueue queue) {
        return queue.database()
                .get(ONE.docId())
                .orElseThrow()
                .path("rejected")
                .path("SCOPE_SHUTDOWN")
                .asInt();
    }
}

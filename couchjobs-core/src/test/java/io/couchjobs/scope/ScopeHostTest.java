package io.couchjobs.scope;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.ServerTest;
import io.couchjobs.TestQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.store.SharedDocuments;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a process starts to serve it ends again, whatever comes between. */
@ServerTest
class ScopeHostTest {
    private static final Scope ONE = Scope.of("index", 1);
    private static final Scope TWO = Scope.of("index", 2);
    private static final Duration AN_HOUR = Duration.ofHours(1);

    private final Gates gates = new Gates();
    private JobQueue queue;
    private Scopes scopes;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        scopes = queue.scopes();
    }

    @AfterEach
    void close() {
        gates.open();
        queue.close();
    }

    @Test
    void a_scope_that_is_stopped_twice_and_started_again_is_served_once() throws Exception {
        CountDownLatch killed = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        List<Scope> served = new CopyOnWriteArrayList<>();
        ScopeService<ObjectNode> service = ScopeService.of("index", ObjectNode.class, (data, context) -> {
            try {
                return gates.handle(data, context);
            } catch (InterruptedException e) {
                killed.countDown();
                end.await();
                throw e;
            }
        });
        scopes.start(ONE);
        ScopeHost host = scopes.serve(service.only(served::add));
        String worker = workerOfJob("slow");
        ScopeStore documents = new ScopeStore(new SharedDocuments(queue.database()));
        documents.stop(ONE, AN_HOUR);
        TestQueue.until(() -> closings(worker).size() == 1);
        documents.stop(ONE, Duration.ZERO);
        killed.await();
        List<Thread> closings = closings(worker);
        served.clear();
        scopes.start(ONE);
        end.countDown();
        for (Thread closing : closings) {
            closing.join();
        }
        // It looks at one scope after the other: when it serves this one, it has done with the other.
        scopes.start(TWO);
        TestQueue.until(() -> host.scopes().contains(TWO));
        assertThat(served).containsExactly(ONE, TWO);
    }

    /** Waits until it runs. */
    private String workerOfJob(String id) throws InterruptedException {
        scopes.submit(ONE, JobRequest.builder("index").id(id).data(Map.of()).build());
        gates.awaitBegun(1);
        return scopes.find(ONE, id).flatMap(Job::lock).orElseThrow().worker();
    }

    private static List<Thread> closings(String worker) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("couchjobs-scope-closing-" + worker))
                .toList();
    }
}

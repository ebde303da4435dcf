package io.couchjobs.engine.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Scopes;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job is removed and submitted again before the process has looked what became of the first one. */
@ServerTest
class EndNotifierTest {
    private static final Scope ONE = Scope.of("index", 1);
    private static final JobRequest PAGE =
            JobRequest.builder("index").id("a").data(Map.of()).build();

    private final BlockingQueue<Ending> first = new LinkedBlockingQueue<>();
    private final BlockingQueue<Ending> second = new LinkedBlockingQueue<>();
    private Proxy proxy;
    private JobQueue queue;
    private JobQueue elsewhere;
    private Scopes scopes;
    private Held look;

    @BeforeEach
    void removeAndHoldTheLook(TestDatabase server) throws Exception {
        proxy = Proxy.before(server.server());
        queue = TestQueue.open(proxy.door(server));
        elsewhere = TestQueue.open(server);
        scopes = queue.scopes();
        scopes.start(ONE);
        scopes.submit(ONE, PAGE, first::add);
        look = proxy.holdRequest(request -> request.method().equals("GET")
                && request.uri().getPath().endsWith("/" + ONE.job("a").docId()));
        elsewhere.remove(ONE.job("a"));
        look.awaitArrival();
    }

    @AfterEach
    void close() {
        proxy.clear();
        queue.close();
        elsewhere.close();
        proxy.close();
    }

    @Test
    void each_of_two_jobs_of_one_id_tells_its_own_end() throws Exception {
        assertThat(scopes.submit(ONE, PAGE, second::add).isAccepted()).isTrue();
        look.release();
        assertThat(endOf(first).outcome()).isEqualTo(Ending.Outcome.REMOVED);
        scopes.stop(ONE);
        assertThat(endOf(second).outcome()).isEqualTo(Ending.Outcome.CANCELLED);
        assertThat(first).isEmpty();
    }

    @Test
    void a_job_tells_its_removal_though_nobody_wants_to_hear_of_the_next_one_of_its_id() throws Exception {
        assertThat(scopes.submit(ONE, PAGE).isAccepted()).isTrue();
        look.release();
        assertThat(endOf(first).outcome()).isEqualTo(Ending.Outcome.REMOVED);
    }

    private static Ending endOf(BlockingQueue<Ending> told) throws InterruptedException {
        Ending ending = told.poll(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        assertThat(ending).as("the end").isNotNull();
        return ending;
    }
}

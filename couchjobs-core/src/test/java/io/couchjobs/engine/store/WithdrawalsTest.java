package io.couchjobs.engine.store;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.ThreadShortage;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that are taken back in the background, on a machine that is short of threads. */
@Timeout(120)
class WithdrawalsTest {
    private static final JobId FIRST = new JobId("email", "1");
    private static final JobId SECOND = new JobId("email", "2");

    private final SimulatedCluster cluster = SimulatedCluster.start(3, 5);
    private final ThreadShortage machine = new ThreadShortage();
    private final CouchServer server =
            machine.connect(CouchConfig.builder(cluster.urls().get(0)).build());
    private final JobStore store = new JobStore(server.database("jobs"));
    private final Withdrawals withdrawals = new Withdrawals(store, new Copies(store.database()));

    @BeforeEach
    void add() {
        store.database().createIfMissing();
        for (JobId id : List.of(FIRST, SECOND)) {
            JobRequest request =
                    JobRequest.builder(id.type()).id(id.id()).data(Map.of()).build();
            store.write(Transitions.create(request, Jobs.NOW));
        }
    }

    @AfterEach
    void close() {
        withdrawals.close();
        store.close();
        server.close();
        cluster.close();
    }

    @Test
    void a_claim_that_nobody_could_be_sent_to_look_for_again_is_taken_back_with_the_next_one() throws Exception {
        machine.stall("couchjobs-withdrawals");
        withdrawals.withdrawIfStored(FIRST, "late", "its answer was lost", Jobs.NOW);
        TestQueue.until(() -> machine.refused() == 1);
        machine.end();

        claim(FIRST, "late");
        claim(SECOND, "lost");
        withdrawals.withdrawIfStored(SECOND, "lost", "its answer was lost", Jobs.NOW);
        TestQueue.until(() -> job(SECOND).isWithdrawn() && job(FIRST).isWithdrawn());
    }

    private void claim(JobId id, String token) {
        store.write(
                Transitions.claim(job(id), token, "w", true, Jobs.NOW).write().orElseThrow());
    }

    private Job job(JobId id) {
        return store.read(id).orElseThrow();
    }
}

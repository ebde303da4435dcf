package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An operator takes jobs from owners that seem to be no registered workers. */
@ServerTest
class ReleaserTest extends ProxiedQueue {
    /** The copy that answers lists lacks all registrations. */
    @Override
    protected Proxy.Detour detour() {
        return new PretendedCluster() {
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                boolean isList = request.uri().getPath().endsWith("/_all_docs")
                        && (request.uri().getQuery() + request.body()).contains("worker:");
                return isList ? "{\"total_rows\":0,\"offset\":0,\"rows\":[]}" : super.rewrites(request, answer);
            }
        };
    }

    @Test
    void a_job_of_a_registered_worker_is_not_taken_though_a_list_lacks_its_registration() throws Exception {
        ClaimedJob claim = claimed(others);
        WorkerInfo owner = onlyOwner(queue);
        others.database().put(JsonNodeFactory.instance.objectNode().put("_id", "worker:" + owner.id()));

        assertThat(owner.registration()).isEmpty();
        assertThatThrownBy(() -> queue.operations().releaseOrphan(owner.jobs().get(0)))
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContaining("registered");
        claim.finish();
    }

    @Test
    void a_job_of_an_owner_that_is_not_registered_any_more_is_taken() throws Exception {
        claimed(others);
        WorkerInfo owner = onlyOwner(queue);
        others.database().put(JsonNodeFactory.instance.objectNode().put("_id", "worker:" + owner.id()));
        others.database()
                .put(others.database().get("worker:" + owner.id()).orElseThrow().put("_deleted", true));

        queue.operations().releaseOrphan(owner.jobs().get(0));
        assertThat(others.phase("email", "1")).isEqualTo(JobPhase.PENDING);
    }

    @Test
    void no_job_is_taken_while_no_majority_tells_whether_its_owner_is_registered() throws Exception {
        try (SimulatedCluster copies = SimulatedCluster.start(3, 4);
                JobQueue cutOff = JobQueue.builder(copies.urls().get(1).resolve("/jobs"))
                        .renewLeases(false)
                        .open()) {
            cutOff.operations().init();
            claimed(cutOff);
            WorkerInfo.OwnedJob owned = onlyOwner(cutOff).jobs().get(0);
            copies.stop(0);
            copies.stop(2);
            assertThatThrownBy(() -> cutOff.operations().releaseOrphan(owned))
                    .isInstanceOf(JobRefusedException.class)
                    .hasMessageContaining("no majority");
            assertThat(cutOff.phase("email", "1")).isEqualTo(JobPhase.RUNNING);
        }
    }

    private static ClaimedJob claimed(JobQueue where) throws Exception {
        where.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        return where.accept(AcceptOptions.of("email").timeout(Duration.ZERO)).get(0);
    }

    /** The copy that is asked for the workers may lag behind for a moment. */
    private static WorkerInfo onlyOwner(JobQueue where) throws Exception {
        TestQueue.until(() -> owner(where).isPresent());
        return owner(where).orElseThrow();
    }

    private static Optional<WorkerInfo> owner(JobQueue where) {
        return where.operations().workers().stream()
                .filter(worker -> !worker.jobs().isEmpty())
                .findFirst();
    }
}

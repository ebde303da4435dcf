package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.type.Retention;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Collections while the copy of a cluster that answers lists first lacks documents that the others have. */
@ServerTest
class GarbageOnClustersTest extends ProxiedQueue {
    private final AtomicBoolean lacksTypes = new AtomicBoolean();
    private final AtomicBoolean lacksJobOnce = new AtomicBoolean();
    private final AtomicBoolean isNodeAway = new AtomicBoolean();

    @Override
    protected Proxy.Detour detour() {
        return new PretendedCluster() {
            @Override
            public boolean goes(Proxy.Request request) {
                boolean asksEveryCopy = "w=3".equals(request.uri().getQuery());
                return super.goes(request) && !(asksEveryCopy && isNodeAway.get());
            }

            @Override
            public String rewrites(Proxy.Request request, String answer) {
                if (!request.uri().getPath().endsWith("/_all_docs")) {
                    return super.rewrites(request, answer);
                } else if ((request.uri().getQuery() + request.body()).contains("type:") && lacksTypes.get()) {
                    return "{\"total_rows\":0,\"offset\":0,\"rows\":[]}";
                }
                boolean lacks = request.body().contains("\"job:email:1\"") && lacksJobOnce.getAndSet(false);
                return lacks ? "{\"rows\":[{\"key\":\"job:email:1\",\"error\":\"not_found\"}]}" : answer;
            }
        };
    }

    @Test
    void jobs_that_stay_for_ever_stay_though_a_list_of_the_types_lacks_their_settings() throws Exception {
        others.types().change("email", settings -> settings.withRetention(new Retention.Forever()));
        ObjectNode old =
                Jobs.json("{'_id':'job:email:1','status':'success','data':{},'times':{'created':1,'finished':2}}");
        others.database().put(old);
        lacksTypes.set(true);

        assertThat(queue.operations().gc().run().jobsDeleted()).isEmpty();
        assertThat(others.get("email", "1")).isPresent();
    }

    @Test
    void the_log_of_a_job_stays_though_a_list_lacks_the_job() throws Exception {
        others.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        String chunk = "log:email:1:0000000000000001:00000001";
        others.database()
                .put(Jobs.json("{'_id':'" + chunk + "','attempt':1,'lines':[{'at':1,'text':'begun'}],'dropped':0}"));
        lacksJobOnce.set(true);

        queue.operations().gc().run();

        assertThat(lacksJobOnce).as("the list was asked for").isFalse();
        assertThat(others.database().get(chunk)).isPresent();
    }

    @Test
    void tombstones_stay_while_a_node_is_away_and_go_when_it_is_back() throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB has no _purge");
        others.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        others.remove("email", "1");
        isNodeAway.set(true);

        GarbageCollection.Report whileAway =
                queue.operations().gc().keepTombstones(Duration.ZERO).run();
        isNodeAway.set(false);
        GarbageCollection.Report after =
                queue.operations().gc().keepTombstones(Duration.ZERO).run();

        assertThat(whileAway.tombstonesPurged()).isZero();
        assertThat(whileAway.problems()).singleElement().asString().startsWith("tombstones stay: a node");
        assertThat(after.tombstonesPurged()).isEqualTo(1);
        assertThat(after.problems()).isEmpty();
    }
}

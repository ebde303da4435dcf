package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Any node of a cluster may show an end that no majority has. */
@ServerTest
class WrittenEndsOnClustersTest {
    private Proxy proxy;
    private JobQueue queue;
    private SteppedParts parts;
    private CouchDatabase orders;
    private volatile boolean cut;
    private volatile boolean behind;

    @BeforeEach
    void open(TestDatabase server) {
        proxy = Proxy.before(server.server());
        proxy.detour(new PretendedCluster() {
            @Override
            public boolean goes(Proxy.Request request) {
                return !(cut && request.isWriteOf("_local/couchjobs-probe-")) && super.goes(request);
            }

            /** The copy that is asked for what readers see has not heard of the last revision. */
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                String seen = super.rewrites(request, answer);
                boolean isShown = request.uri().getPath().endsWith("/_all_docs");
                return behind && isShown ? seen.replaceAll("\"rev\":\"\\d+-", "\"rev\":\"1-") : seen;
            }
        });
        queue = TestQueue.open(proxy.door(server));
        parts = new SteppedParts(queue);
        orders = queue.database().server().database(queue.database().name() + "-orders");
        boolean unused = orders.createIfMissing();
    }

    @AfterEach
    void close() {
        cut = false;
        proxy.clear();
        orders.delete();
        parts.close();
        queue.close();
        proxy.close();
    }

    @Test
    void an_end_is_written_into_its_document_when_a_majority_is_known_to_have_it() {
        Trigger trigger = Trigger.named("t")
                .source(orders.name())
                .type("mail")
                .from("beginning")
                .writeBack("/status")
                .build();
        FollowerTools tools = Followers.tools(parts.parts());
        save(orders, "{'_id':'o1'}");
        var unused = Followers.of(tools, trigger, orders).slice(() -> false, () -> true);
        Job ended = queue.claim(queue.all("mail").findAny().orElseThrow().id())
                .orElseThrow()
                .finish();
        Position position = tools.starts().position(trigger, Positions.ENDS, queue.database(), false);
        Taker ends = tools.endTaker(trigger, JsonPointer.valueOf("/status"));
        List<SourceChange> end = List.of(new SourceChange(
                queue.database().name(), ended.id().docId(), ended.rev().orElseThrow(), "1", false, null));

        cut = true;
        assertThatThrownBy(() -> ends.takeOwed(position, end))
                .isInstanceOf(CouchJobsException.class)
                .hasMessageContaining("no majority");
        assertThat(orders.get("o1").orElseThrow().has("status")).isFalse();

        cut = false;
        behind = true;
        assertThat(ends.takeOwed(position, end).owed()).isEqualTo(end);
        assertThat(orders.get("o1").orElseThrow().has("status")).isFalse();

        behind = false;
        Step done = ends.takeOwed(position, end);
        assertThat(done.owed()).isEmpty();
        assertThat(done.failures()).isEmpty();
        assertThat(orders.get("o1").orElseThrow().at("/status/status").asText()).isEqualTo("success");
    }
}

package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An entry of an outbox waits for the resolution of its job's conflicts. */
@ServerTest
class WaitingEntriesTest {
    private TestDatabase database;
    private Proxy proxy;
    private JobQueue queue;
    private SteppedParts parts;
    private CouchDatabase orders;

    @BeforeEach
    void open(TestDatabase server) {
        database = server;
        proxy = Proxy.before(server.server());
        proxy.detour(new PretendedCluster());
        queue = TestQueue.open(proxy.door(server));
        parts = new SteppedParts(queue);
        orders = queue.database().server().database(queue.database().name() + "-orders");
        boolean unused = orders.createIfMissing();
    }

    @AfterEach
    void close() {
        proxy.clear();
        orders.delete();
        parts.close();
        queue.close();
        proxy.close();
    }

    @Test
    void a_document_is_owed_while_one_of_its_entries_waits_though_the_job_of_a_later_one_is_made() throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server's _bulk_get has the winning leaf only");
        queue.add(JobRequest.builder("mail").id("a").data(Map.of()).build());
        ObjectNode other = queue.get("mail", "a").orElseThrow().toDocument().put("_rev", "1-" + "0".repeat(32));
        Replicated.into(database, other.put("priority", 7));
        Trigger trigger = Trigger.named("t")
                .source(orders.name())
                .from("beginning")
                .outbox(Outbox.Entries.LEAVE)
                .build();
        FollowerTools tools = Followers.tools(parts.parts());
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','id':'a'},{'type':'mail','id':'b'}]}");
        SourceFollower follower = Followers.of(tools, trigger, orders);

        var unused = follower.slice(() -> false, () -> true);
        assertThat(queue.get("mail", "b")).isPresent();
        assertThat(follower.position().owed())
                .singleElement()
                .extracting(SourceChange::id)
                .isEqualTo("o1");
    }
}

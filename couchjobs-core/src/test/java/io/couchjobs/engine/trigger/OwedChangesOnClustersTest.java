package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One copy of three has the document whose row the feed of a cluster showed. */
@ServerTest
class OwedChangesOnClustersTest {
    private static final String FOUND =
            "{'results':[{'id':'o1','docs':[{'ok':{'_id':'o1','_rev':'1-aaaa','n':1%s}}]}]}";
    private static final String HISTORY = ",'_revisions':{'start':1,'ids':['aaaa']}";

    private static final String BESIDE_A_WINNER =
            "{'results':[{'id':'o1','docs':[{'ok':{'_id':'o1','_rev':'1-aaaa','n':1%1$s}},"
                    + "{'ok':{'_id':'o1','_rev':'2-bbbb','_revisions':{'start':2,'ids':['bbbb','cccc']}}}]}]}";
    private static final String UNREADABLE =
            "{'results':[{'id':'o1','docs':[{'error':{'id':'o1','rev':'undefined','error':'timeout','reason':'timeout'}}]}]}";

    private volatile String found = FOUND;
    private Proxy proxy;
    private JobQueue queue;
    private CouchDatabase orders;

    @BeforeEach
    void open(TestDatabase server) {
        proxy = Proxy.before(server.server());
        proxy.detour(new PretendedCluster() {
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                String query = String.valueOf(request.uri().getQuery());
                boolean isOfAll = request.uri().getPath().endsWith("-orders/_bulk_get") && query.contains("r=3");
                return isOfAll
                        ? found.formatted(query.contains("revs=true") ? HISTORY : "")
                                .replace('\'', '"')
                        : super.rewrites(request, answer);
            }
        });
        queue = TestQueue.open(proxy.door(server));
        orders = queue.database().server().database(queue.database().name() + "-orders");
        boolean unused = orders.createIfMissing();
    }

    @AfterEach
    void close() {
        proxy.clear();
        orders.delete();
        queue.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource(Trigger.Delivery.class)
    void a_change_that_waited_is_read_from_that_copy(Trigger.Delivery delivery) {
        Trigger trigger = Trigger.named("t")
                .source(orders.name())
                .type("mail")
                .deliver(delivery)
                .includeDoc()
                .build();
        SourceReader reader = new SourceReader(trigger, orders);
        assertThat(reader.again(List.of(owed()))).singleElement().satisfies(found -> assertThat(
                        found.orElseThrow().document())
                .isEqualTo(json("{'_id':'o1','_rev':'1-aaaa','n':1}")));
        assertThat(reader.isCurrent(owed())).isTrue();
    }

    private SourceChange owed() {
        return new SourceChange(orders.name(), "o1", "1-aaaa", "1", false, null);
    }

    @Test
    void a_revision_that_the_copies_cannot_read_now_is_not_forgotten() {
        found = UNREADABLE;
        Trigger trigger = Trigger.named("t")
                .source(orders.name())
                .type("mail")
                .deliver(Trigger.Delivery.EVERY)
                .build();
        SourceReader reader = new SourceReader(trigger, orders);
        assertThatThrownBy(() -> reader.again(List.of(owed()))).isInstanceOf(CouchUnreachableException.class);
    }

    @Test
    void a_losing_leaf_with_entries_of_its_own_is_read_from_that_copy() {
        found = BESIDE_A_WINNER;
        Trigger trigger = Trigger.named("t")
                .source(orders.name())
                .outbox(Outbox.Entries.LEAVE)
                .build();
        SourceReader reader = new SourceReader(trigger, orders);
        assertThat(reader.again(List.of(owed()))).singleElement().satisfies(found -> assertThat(
                        found.orElseThrow().document())
                .isEqualTo(json("{'_id':'o1','_rev':'1-aaaa','n':1}")));
    }
}

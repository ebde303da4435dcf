package io.couchjobs.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether a slot is in use, where the job's owner may not be the one that readers see. */
@ServerTest
class SlotsOnClustersTest {
    private TestDatabase database;
    private Proxy proxy;
    private JobQueue queue;
    private JobStore store;
    private SlotReader reader;
    private QueueParts parts;
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void open(TestDatabase own) {
        database = own;
        proxy = Proxy.before(own.server());
        proxy.detour(new Proxy.Detour() {
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                return answer.contains("\"db_name\"")
                        ? answer.strip()
                                .replaceFirst("^\\{", "{\"cluster\":{\"n\":3},")
                                .replaceFirst(",\"cluster\":\\{[^}]*\\}", "")
                        : answer;
            }
        });
        queue = TestQueue.open(proxy.door(own));
        store = Stores.of(queue.database());
        ServerClock clock = new ServerClock(InstantSource.system(), () -> Duration.ZERO, nanos::get);
        parts = new QueueParts(
                store,
                new JobIndex(new DesignDocuments(queue.database())),
                new SettingsStore(queue.database(), Duration.ofSeconds(60)),
                Feeds.of(queue.database()),
                clock);
        reader = new SlotReader(parts);
    }

    @AfterEach
    void close() {
        proxy.clear();
        store.close();
        queue.close();
        proxy.close();
    }

    @Test
    void a_slot_whose_owners_leaf_readers_do_not_see_is_in_use() throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        Job waiting = store.read(new JobId("email", "1")).orElseThrow();
        ClaimedJob claim = queue.accept(AcceptOptions.of("email")).get(0);
        Slot slot = Slot.wanted(new SlotName(new SlotName.Limited("email", null, null), 0), waiting, claim.token(), 0);
        assertThat(store.isCluster()).isTrue();
        assertThat(reader.use(slot, claim.job(), 0)).isEqualTo(SlotReader.Use.OWNED);
        assertThat(reader.use(slot, waiting, 0))
                .as("read from a copy that is behind")
                .isEqualTo(SlotReader.Use.OWNED);

        ObjectNode loser = claim.job().toDocument().put("_rev", "9-" + "e".repeat(32));
        ((ObjectNode) loser.get("lock")).put("token", "loser");
        Replicated.into(database, loser);
        assertThat(reader.use(slot, Job.parse(loser), 0)).isEqualTo(SlotReader.Use.OWNED);
        assertThat(reader.use(slot, null, 0)).isEqualTo(SlotReader.Use.OWNED);

        claim.finish();
        assertThat(reader.use(slot, Job.parse(loser), 0)).isEqualTo(SlotReader.Use.UNUSED);
    }

    @Test
    void a_slot_that_cannot_be_read_closes_its_own_type_only_and_not_for_good() {
        for (String type : List.of("a", "b")) {
            queue.types().change(type, present -> present.with(Limit.RUNNING, 1));
        }
        SourceDatabases.save(
                queue.database(),
                "{'_id':'slot:a:t:0','job':'job:a:1','claimOn':'1-x','token':'dead','worker':'dead'}");
        Limits limits = new Limits(parts, "here", () -> {});
        assertThat(limits.isOpen("a")).as("its slot is taken").isFalse();
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        proxy.detour(new UnreadableSlot());
        assertThat(List.of("a", "b")).filteredOn(limits::isOpen).containsExactly("b");

        proxy.clear();
        assertThat(limits.isOpen("a"))
                .as("the dead worker's slot was taken away")
                .isTrue();
    }

    /** Answers as a server that cannot read the slot's document. */
    private static final class UnreadableSlot implements Proxy.Detour {
        @Override
        public Optional<String> answers(Proxy.Request request) {
            return request.uri().getPath().endsWith("/_bulk_get")
                            && request.body().contains("slot:a:t:0")
                    ? Optional.of("{\"results\":[{\"id\":\"slot:a:t:0\",\"docs\":[{\"error\":{\"id\":\"slot:a:t:0\","
                            + "\"rev\":\"undefined\",\"error\":\"internal_error\",\"reason\":\"broken\"}}]}]}")
                    : Optional.empty();
        }
    }
}

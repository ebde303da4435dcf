package io.couchjobs.engine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a cluster with more nodes than copies, one shard of a database can be without a majority while others have one. */
@ServerTest
class ShardWithoutMajorityTest extends ProxiedQueue {
    private static final int SHARDS = 2;

    private final Set<String> probesInVain = new CopyOnWriteArraySet<>();
    private JobStore store;

    @Override
    protected Proxy.Detour detour() {
        return new PretendedCluster() {
            @Override
            public boolean goes(Proxy.Request request) {
                return probesInVain.stream().noneMatch(request::isWriteOf) && super.goes(request);
            }
        };
    }

    @BeforeEach
    void openStore() {
        store = Stores.of(queue.database());
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void ends_in_other_shards_are_told() {
        JobId inReach = ended(0).id();
        JobId cutOff = ended(1).id();
        cutOff(1);
        List<String> both = List.of(inReach.docId(), cutOff.docId());

        assertThat(store.ends().readAll(both).orElseThrow()).containsOnlyKeys(inReach.docId());

        cutOff(0);
        assertThat(store.ends().readAll(both)).isEmpty();

        probesInVain.clear();
        assertThat(store.ends().readAll(both).orElseThrow()).containsOnlyKeys(both.toArray(String[]::new));
    }

    @Test
    void finished_jobs_in_other_shards_are_deleted() {
        FinishedJob inReach = Stores.row(ended(0));
        FinishedJob cutOff = Stores.row(ended(1));
        cutOff(1);

        assertThat(store.retire(List.of(inReach, cutOff))).containsExactly(inReach.docId());
        assertThatThrownBy(() -> store.retire(List.of(cutOff)))
                .isInstanceOf(CouchJobsException.class)
                .hasMessageContaining("no majority");
        assertThat(queue.get(JobId.fromDocId(cutOff.docId()).orElseThrow())).isPresent();

        probesInVain.clear();
        assertThat(store.retire(List.of(cutOff))).containsExactly(cutOff.docId());
    }

    private void cutOff(int shard) {
        probesInVain.add(MajorityProbe.probeOf(shard, SHARDS));
    }

    private Job ended(int shard) {
        JobId id = IntStream.iterate(0, number -> number + 1)
                .mapToObj(number -> new JobId("mail", "m" + number))
                .filter(name -> MajorityProbe.partOf(name.docId(), SHARDS) == shard)
                .findFirst()
                .orElseThrow();
        queue.add(JobRequest.builder(id.type()).id(id.id()).data(Map.of()).build());
        return queue.claim(id).map(ClaimedJob::finish).orElseThrow();
    }
}

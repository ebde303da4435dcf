package io.couchjobs.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.limit.Candidate;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Claimers at different nodes of a real cluster who claim the same job at the same moment: how many of the jobs one of them owns at
 * once. {@code COUCHJOBS_CLUSTER_URLS} names the nodes; skipped where there is no such cluster.
 */
@Tag("cluster")
class ContendedClaimsTest {
    private static final int JOBS = Integer.getInteger("couchjobs.cluster.contended", 300);
    private static final String NODES = System.getenv().getOrDefault("COUCHJOBS_CLUSTER_URLS", "");

    private final String name = "contended-" + UUID.randomUUID();

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void nearly_every_contended_job_is_owned_at_once_and_none_is_owned_twice(int claimers) throws Exception {
        assumeTrue(!NODES.isEmpty(), "COUCHJOBS_CLUSTER_URLS names no nodes");
        List<Claiming> all = new ArrayList<>();
        for (int i = 0; i < claimers; i++) {
            all.add(new Claiming(NODES.split("[\\s,]+")[i % 3], name, "w" + i));
        }
        CouchDatabase database = all.get(0).store.database();
        database.createIfMissing();
        ExecutorService threads = Executors.newFixedThreadPool(claimers);
        int owned = 0;
        try {
            for (int n = 0; n < JOBS; n++) {
                JobId id = new JobId("race", "job-" + n);
                new Creator(all.get(0).store, all.get(0).clock)
                        .addOne(JobRequest.builder("race")
                                .id(id.id())
                                .data(Map.of())
                                .build());
                CyclicBarrier together = new CyclicBarrier(claimers);
                List<Future<Integer>> won = new ArrayList<>();
                for (Claiming one : all) {
                    won.add(threads.submit(() -> one.claim(id, together)));
                }
                int owners = 0;
                for (Future<Integer> future : won) {
                    owners += future.get();
                }
                assertThat(owners).as("owners of %s", id).isLessThanOrEqualTo(1);
                owned += owners;
            }
        } finally {
            threads.shutdownNow();
            database.delete();
            all.forEach(Claiming::close);
        }
        System.out.printf("%d claimers: %d of %d contended jobs were owned at once%n", claimers, owned, JOBS);
        assertThat(owned).isGreaterThanOrEqualTo(JOBS * 90 / 100);
    }

    private static final class Claiming implements AutoCloseable {
        private final String worker;
        private final CouchServer server;
        private final JobStore store;
        private final ServerClock clock;
        private final Limits limits;
        private final Claimer claimer;

        Claiming(String node, String database, String worker) {
            this.worker = worker;
            this.server =
                    CouchServer.connect(CouchConfig.builder(URI.create(node)).build());
            CouchDatabase here = server.database(database);
            this.store = Stores.of(here);
            SettingsStore settings = new SettingsStore(here, Duration.ofSeconds(60));
            this.clock = TestQueue.clock(InstantSource.system(), server);
            QueueParts parts =
                    new QueueParts(store, new JobIndex(new DesignDocuments(here)), settings, Feeds.of(here), clock);
            this.limits = new Limits(parts, worker, () -> {});
            this.claimer = new Claimer(parts, limits, new UnconfirmedClaims(System::nanoTime, store.environment()));
        }

        int claim(JobId id, CyclicBarrier together) throws Exception {
            Job job = store.read(id).orElseThrow();
            together.await();
            List<Candidate> granted =
                    limits.grant(List.of(new Candidate(job, UUID.randomUUID().toString())));
            return claimer.claim(granted, worker, true).size();
        }

        @Override
        public void close() {
            store.close();
            server.close();
        }
    }
}

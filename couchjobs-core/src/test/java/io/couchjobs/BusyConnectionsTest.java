package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.TestQueue;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All connections of a process wait for answers: an index is being built, say. */
@Timeout(180)
class BusyConnectionsTest {
    private static final int CONNECTIONS = 16; // the default

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void leases_are_renewed_while_all_connections_wait_for_an_index() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(URI.create(couch.url() + "jobs"))
                        .defaultTimeout(Duration.ofSeconds(6))
                        .open()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            LeasedJob claim = (LeasedJob) queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                    .get(0);
            couch.faults().delay(Integer.MAX_VALUE, request -> request.path().contains("_view"));
            List<CompletableFuture<Void>> lists =
                    Stream.generate(() -> list(queue)).limit(CONNECTIONS + 1L).toList();
            long before = claim.confirmedNanos();
            TestQueue.until(() -> claim.confirmedNanos() > before);
            long renewed = claim.confirmedNanos();
            TestQueue.until(() -> claim.confirmedNanos() > renewed);
            assertThat(claim.isLeaseOver()).isFalse();
            assertThat(lists).filteredOn(CompletableFuture::isDone).hasSizeLessThanOrEqualTo(1);
            couch.faults().clear();
            CompletableFuture.allOf(lists.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void a_lease_is_renewed_with_a_new_login_while_all_connections_wait_for_an_index() throws Exception {
        try (EmbeddedCouch couch = withAdmin();
                CouchServer server = withSession(couch)) {
            CouchDatabase database = server.database("jobs");
            database.createIfMissing();
            Faults.Held held = couch.faults().delay(1, request -> request.path().contains("_all_docs"));
            CompletableFuture<?> list =
                    CompletableFuture.supplyAsync(() -> database.view(ViewQuery.allDocs()), threads);
            assertThat(held.awaitArrival(60)).isTrue();
            couch.faults().answer(1, BusyConnectionsTest::isPut, 401);

            assertThat(database.put(Jobs.json("{'_id':'x'}"), Duration.ofMinutes(1)))
                    .isInstanceOf(WriteResult.Stored.class);
            assertThat(list).isNotDone();
            held.release();
            list.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void a_request_whose_cookie_was_refused_needs_no_second_connection_to_log_in() {
        try (EmbeddedCouch couch = withAdmin();
                CouchServer server = withSession(couch)) {
            CouchDatabase database = server.database("jobs");
            database.createIfMissing();
            couch.faults().answer(1, BusyConnectionsTest::isPut, 401);
            assertThat(database.put(Jobs.json("{'_id':'x'}"))).isInstanceOf(WriteResult.Stored.class);
        }
    }

    private static boolean isPut(Faults.Request request) {
        return request.method().equals("PUT") && request.path().endsWith("/x");
    }

    private static EmbeddedCouch withAdmin() {
        return EmbeddedCouch.inMemory().admin("admin", "secret").start();
    }

    private static CouchServer withSession(EmbeddedCouch couch) {
        return CouchServer.connect(CouchConfig.builder(couch.url())
                .auth(new Auth.Session("admin", Secret.of("secret")))
                .maxConnections(1)
                .connectTimeout(Duration.ofMillis(500))
                .build());
    }

    private CompletableFuture<Void> list(JobQueue queue) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        assertThat(queue.list(JobFilter.all(), 10)).hasSize(1);
                    } catch (CouchException busy) {
                        assertThat(busy).hasMessageContaining("busy");
                    }
                },
                threads);
    }
}

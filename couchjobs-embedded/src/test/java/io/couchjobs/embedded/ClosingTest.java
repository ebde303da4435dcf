package io.couchjobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("hears of what all threads throw")
class ClosingTest {
    private static final int WRITERS = 4;
    private static final int ROUNDS = 5;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "closing-test");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void a_server_on_disk_that_is_closed_in_the_middle_of_writes_keeps_what_it_acknowledged(@TempDir Path folder)
            throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            closeAmidWrites(
                    EmbeddedCouch.builder().directory(folder).database("jobs").start(), "r" + round);
        }
        try (EmbeddedCouch server = EmbeddedCouch.builder().directory(folder).start()) {
            String stored =
                    new Client(server.url()).send("GET", "jobs/_all_docs").body();
            assertThat(acknowledged).isNotEmpty().allMatch(id -> stored.contains("\"id\":\"" + id + "\""));
        }
    }

    @Test
    void a_database_that_is_deleted_while_its_index_is_being_built_leaves_nothing_behind() throws Exception {
        BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            if (isIndexing(thread)) {
                uncaught.add(thrown);
            }
        });
        try (EmbeddedCouch server = EmbeddedCouch.builder().database("jobs").start()) {
            Client client = new Client(server.url());
            client.send(
                    "PUT", "jobs/_design/d", "{\"views\":{\"v\":{\"map\":\"function(doc) { emit(doc.n, null); }\"}}}");
            String docs =
                    IntStream.range(0, 3_000).mapToObj(n -> "{\"n\":" + n + "}").collect(Collectors.joining(","));
            client.send("POST", "jobs/_bulk_docs", "{\"docs\":[" + docs + "]}");

            client.send("GET", "jobs/_design/d/_view/v?update=lazy");
            client.send("DELETE", "jobs");
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (isIndexing(thread)) {
                    thread.join(60_000);
                }
            }

            assertThat(uncaught).isEmpty();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    private static boolean isIndexing(Thread thread) {
        return thread.getName().equals("embedded-couch-index");
    }

    private void closeAmidWrites(EmbeddedCouch server, String round) throws Exception {
        CountDownLatch writing = new CountDownLatch(2 * WRITERS);
        for (int writer = 0; writer < WRITERS; writer++) {
            String prefix = round + "-w" + writer + "-";
            threads.execute(() -> writeUntilClosed(new Client(server.url()), prefix, writing));
        }
        writing.await();
        CompletableFuture.runAsync(server::close, threads).get(60, TimeUnit.SECONDS);
    }

    private void writeUntilClosed(Client client, String prefix, CountDownLatch writing) {
        try {
            for (int n = 0; client.send("PUT", "jobs/" + prefix + n, "{}").statusCode() == 201; n++) {
                acknowledged.add(prefix + n);
                writing.countDown();
            }
        } catch (IOException closed) {
            // That is what this test is about.
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}

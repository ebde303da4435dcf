package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Measures the rate at which the server stores documents in bulk, without any queue: the same documents, over the same client.
 * Not thread-safe.
 */
final class Raw {
    static final List<Integer> BATCHES = List.of(100, 500, 1000, 2000);
    /** One connection, because a queue sends one bulk request at a time. */
    static final int CONNECTIONS = 1;

    static final int MORE_CONNECTIONS = 4;

    private final OwnDatabases databases;
    private final Payload payload;
    private int batch = 500;

    Raw(OwnDatabases databases, Payload payload) {
        this.databases = databases;
        this.payload = payload;
    }

    int batch() {
        return batch;
    }

    /** Finds the best size of a bulk request on this server. */
    void calibrate(int documents, int rounds) throws InterruptedException {
        double best = 0;
        for (int candidate : BATCHES) {
            Samples rates = new Samples();
            for (int round = 0; round < rounds; round++) {
                rates.add(perSecond(documents, candidate, CONNECTIONS));
            }
            if (rates.median() > best) {
                best = rates.median();
                batch = candidate;
            }
        }
    }

    double perSecond(int documents) throws InterruptedException {
        return perSecond(documents, batch, CONNECTIONS);
    }

    /** Measures the rate in a new database, which is deleted afterwards. */
    double perSecond(int documents, int batchSize, int connections) throws InterruptedException {
        CouchDatabase database = databases.create();
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            List<List<ObjectNode>> shares = Stream.generate(() -> documents(documents / connections))
                    .limit(connections)
                    .toList();
            List<Callable<Void>> writing = shares.stream()
                    .<Callable<Void>>map(share -> () -> write(database, share, batchSize))
                    .toList();
            long started = System.nanoTime();
            for (Future<Void> each : threads.invokeAll(writing)) {
                each.get();
            }
            return shares.size() * shares.get(0).size() / Time.secondsSince(started);
        } catch (ExecutionException e) {
            throw new IllegalStateException("raw bulk writes failed: " + e.getMessage(), e);
        } finally {
            threads.shutdownNow();
            databases.drop(database.name());
        }
    }

    private List<ObjectNode> documents(int count) {
        return Stream.generate(payload::document).limit(count).toList();
    }

    private static Void write(CouchDatabase database, List<ObjectNode> documents, int batchSize) {
        List<WriteResult> results = new ArrayList<>();
        for (int from = 0; from < documents.size(); from += batchSize) {
            results.addAll(database.bulkDocs(documents.subList(from, Math.min(documents.size(), from + batchSize))));
        }
        if (results.stream().anyMatch(result -> !isStored(result))) {
            throw new IllegalStateException("the server did not store all documents");
        }
        return null;
    }

    private static boolean isStored(WriteResult result) {
        return result instanceof WriteResult.Stored || result instanceof WriteResult.Accepted;
    }
}

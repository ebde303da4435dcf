package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Measures the cost of running jobs without a queue: documents are read in batches, and each document is written twice. There is
 * no index, no feed, and no other program.
 */
record RawRuns(OwnDatabases databases, Payload payload, ServerCpu server) {
    /**
     * The result of a measurement.
     *
     * @param perSecond documents per second
     * @param serverMillis processor time of the server per document; empty when it is unknown
     */
    record Result(double perSecond, OptionalDouble serverMillis) {}

    /** Runs the given number of documents in a new database, which is deleted afterwards. */
    Result run(int documents, int batchSize) throws InterruptedException {
        CouchDatabase database = databases.create();
        try {
            List<String> ids = fill(database, documents, batchSize);
            OptionalDouble before = server.millis();
            long started = System.nanoTime();
            for (List<String> batch : batches(ids, batchSize)) {
                runBatch(database, batch);
            }
            return new Result(documents / Time.secondsSince(started), server.since(before, documents));
        } finally {
            databases.drop(database.name());
        }
    }

    private List<String> fill(CouchDatabase database, int documents, int batchSize) {
        List<ObjectNode> all =
                Stream.generate(payload::document).limit(documents).toList();
        batches(all, batchSize).forEach(batch -> write(database, batch));
        return all.stream().map(document -> document.path("_id").asText()).toList();
    }

    private static void runBatch(CouchDatabase database, List<String> ids) {
        List<ObjectNode> documents =
                database.getAll(ids).stream().flatMap(Optional::stream).toList();
        write(database, mark(documents, "running"));
        write(database, mark(documents, "success"));
    }

    private static List<ObjectNode> mark(List<ObjectNode> documents, String status) {
        documents.forEach(document -> document.put("status", status));
        return documents;
    }

    /** Writes the documents, and sets their new revisions. */
    private static void write(CouchDatabase database, List<ObjectNode> documents) {
        List<WriteResult> results = database.bulkDocs(documents);
        for (int i = 0; i < documents.size(); i++) {
            documents.get(i).put("_rev", revision(results.get(i)));
        }
    }

    private static String revision(WriteResult result) {
        if (result instanceof WriteResult.Stored stored) {
            return stored.rev();
        }
        if (result instanceof WriteResult.Accepted accepted) {
            return accepted.rev();
        }
        throw new IllegalStateException("the server did not store all documents");
    }

    private static <T> List<List<T>> batches(List<T> all, int size) {
        List<List<T>> batches = new ArrayList<>();
        for (int from = 0; from < all.size(); from += size) {
            batches.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return batches;
    }
}

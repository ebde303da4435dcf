package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.document.JsonLength;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;

/**
 * Combines the writes of all threads of a process into bulk requests. Writes that arrive while a request is in flight go into
 * the next request. A single write is sent at once and does not wait for other writes. After a request with several
 * documents, the next request is delayed for a moment, until the answered callers have written again: the server is most
 * efficient with full requests. When very many writes are waiting, a second request is sent in parallel: the server reads one
 * while it stores the other.
 *
 * <p>Two writes of the same document go into two requests, one after the other.
 */
final class WriteCombiner implements AutoCloseable {
    private static final int MOST_PER_REQUEST = 1_000;
    /** The number of waiting documents that justifies a second parallel request. */
    private static final int ENOUGH_FOR_ANOTHER = 100;

    /** A request is full once it exceeds this size, so large documents are sent a few at a time. */
    private static final long MOST_CHARACTERS = 8_000_000;

    private static final int MOST_REQUESTS = 2;
    /** After a request with at least this many documents, more writes usually follow soon. */
    private static final int SEVERAL = 4;

    private static final Duration LONGEST_GATHERING = Duration.ofMillis(4);
    private static final Duration GLANCE = Duration.ofNanos(200_000);

    private final CouchDatabase database;
    private final LostAnswers lostAnswers;
    private final Environment environment;
    private final Lane senders;
    private final IntConsumer written;
    // The fields below are guarded by {@code waiting}.
    private final Queue<Entry> waiting = new ArrayDeque<>();
    private final Set<String> underWay = new HashSet<>();
    private int sending;
    private boolean closed;

    WriteCombiner(CouchDatabase database, LostAnswers lostAnswers, IntConsumer written) {
        this.database = database;
        this.lostAnswers = lostAnswers;
        this.written = written;
        this.environment = ServerAccess.environment(database.server());
        this.senders = environment.lane("couchjobs-writer", MOST_REQUESTS);
    }

    CompletableFuture<WriteResult> write(ObjectNode document) {
        return writeAll(List.of(document)).get(0);
    }

    /** Queues several documents at once, so that they share a request as far as they fit. */
    List<CompletableFuture<WriteResult>> writeAll(List<ObjectNode> documents) {
        List<Entry> entries = documents.stream()
                .map(document -> new Entry(document.path("_id").asText(), document, new CompletableFuture<>()))
                .toList();
        synchronized (waiting) {
            if (closed) {
                throw new IllegalStateException("the queue is closed; "
                        + (entries.size() == 1 ? entries.get(0).id : entries.size() + " documents")
                        + " not written");
            }
            waiting.addAll(entries);
            if (!entries.isEmpty() && (sending == 0 || isWorthAnother())) {
                beginToSend();
            }
            if (entries.size() > MOST_PER_REQUEST && isWorthAnother()) {
                beginToSend();
            }
        }
        return entries.stream().map(Entry::result).toList();
    }

    @Override
    public void close() {
        synchronized (waiting) {
            closed = true;
        }
        senders.finish();
    }

    private void beginToSend() {
        sending++;
        senders.execute(this::sendAll);
    }

    private boolean isWorthAnother() {
        return sending < MOST_REQUESTS && waiting.size() >= ENOUGH_FOR_ANOTHER;
    }

    private void sendAll() {
        List<Entry> batch = new ArrayList<>();
        try {
            for (takeNext(batch); !batch.isEmpty(); takeNext(batch)) {
                long began = environment.nanos();
                send(batch);
                int answered = batch.size();
                batch.clear();
                gather(answered, environment.nanos() - began);
            }
        } catch (RuntimeException | Error trouble) {
            giveUp(batch, trouble);
        }
    }

    /** Ends a failed sender, and fails the writes that nobody would send any more. The next write starts a new sender. */
    private void giveUp(List<Entry> batch, Throwable trouble) {
        List<Entry> unsent = new ArrayList<>(batch);
        synchronized (waiting) {
            batch.forEach(entry -> underWay.remove(entry.id));
            sending--;
            if (sending == 0) {
                unsent.addAll(waiting);
                waiting.clear();
            }
        }
        unsent.forEach(entry -> entry.result.completeExceptionally(trouble));
    }

    /** Waits briefly until as many writes are waiting as were just answered. Stops as soon as no more writes arrive. */
    private void gather(int answered, long took) {
        if (answered < SEVERAL) {
            return;
        }
        int before = waitingCount();
        int expected = Math.min(answered + before, MOST_PER_REQUEST);
        long until = environment.nanos() + Math.min(took / 4, LONGEST_GATHERING.toNanos());
        for (int now = before, last = -1; now < expected && now != last && environment.nanos() < until; ) {
            boolean unused = Environment.pauseUnlessInterrupted(environment, GLANCE);
            last = now;
            now = waitingCount();
        }
    }

    private int waitingCount() {
        synchronized (waiting) {
            return waiting.size();
        }
    }

    /**
     * Moves waiting writes into a batch, at most one per document. Skips documents with a write in flight; their later writes
     * stay in the queue, in order.
     */
    private void takeNext(List<Entry> batch) {
        synchronized (waiting) {
            Set<String> passedBy = new HashSet<>();
            long room = MOST_CHARACTERS;
            for (Iterator<Entry> all = waiting.iterator();
                    all.hasNext() && room > 0 && batch.size() < MOST_PER_REQUEST; ) {
                Entry entry = all.next();
                if (!passedBy.contains(entry.id) && underWay.add(entry.id)) {
                    all.remove();
                    batch.add(entry);
                    room -= JsonLength.characters(entry.document);
                } else {
                    passedBy.add(entry.id);
                }
            }
            if (batch.isEmpty()) {
                sending--;
            }
        }
    }

    private void send(List<Entry> batch) {
        List<ObjectNode> documents = batch.stream().map(Entry::document).toList();
        Map<String, WriteResult> known = new HashMap<>();
        try {
            List<WriteResult> results = bulk(known).write(documents);
            arrived(batch);
            written.accept(batch.size());
            deliver(batch, results, known);
        } catch (RuntimeException | Error trouble) {
            arrived(batch);
            written.accept(known.size());
            for (Entry entry : batch) {
                WriteResult result = known.get(entry.id);
                if (result == null) {
                    entry.result.completeExceptionally(trouble);
                } else {
                    entry.result.complete(result);
                }
            }
        }
    }

    private BulkWriter bulk(Map<String, WriteResult> known) {
        return new BulkWriter(database, lostAnswers, result -> known.putIfAbsent(result.id(), result));
    }

    private void arrived(List<Entry> batch) {
        synchronized (waiting) {
            batch.forEach(entry -> underWay.remove(entry.id));
        }
    }

    private static void deliver(List<Entry> batch, List<WriteResult> results, Map<String, WriteResult> known) {
        for (int i = 0; i < batch.size(); i++) {
            Entry entry = batch.get(i);
            entry.result.complete(known.getOrDefault(entry.id, results.get(i)));
        }
    }

    private record Entry(String id, ObjectNode document, CompletableFuture<WriteResult> result) {}
}

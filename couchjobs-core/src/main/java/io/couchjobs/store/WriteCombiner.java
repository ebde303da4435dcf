package io.couchjobs.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchException;
import io.couchjobs.couch.WriteResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/**
 * Sends the writes of all threads of a process as bulk requests: what gathers while one request is in flight goes with the
 * next. A write alone is sent at once; nobody waits for company.
 *
 * <p>A document that is written twice goes into two requests, in order. When an answer is lost, the documents are read
 * again to find out what became of each; only when that fails too does the caller see trouble. On a cluster a write that is
 * found in place is {@code Accepted}: nobody knows whether a quorum has it.
 */
final class WriteCombiner implements AutoCloseable {
    private static final int MOST_PER_REQUEST = 500;
    private static final int MOST_TRIES = 3;

    private final CouchDatabase database;
    private final LostAnswers lostAnswers;
    private final Queue<Entry> waiting = new ArrayDeque<>();
    private final ExecutorService sender;
    private boolean sending;
    private boolean closed;

    WriteCombiner(CouchDatabase database, LostAnswers lostAnswers) {
        this.database = database;
        this.lostAnswers = lostAnswers;
        this.sender = database.server().surroundings().threads("couchjobs-writer", 1);
    }

    CompletableFuture<WriteResult> write(ObjectNode document) {
        return writeAll(List.of(document)).get(0);
    }

    /** Writes documents that go together, as far as they fit into one request. */
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
            if (!sending && !entries.isEmpty()) {
                sending = true;
                sender.execute(this::sendAll);
            }
        }
        return entries.stream().map(Entry::result).toList();
    }

    @Override
    public void close() {
        synchronized (waiting) {
            closed = true;
        }
        sender.shutdown();
    }

    private void sendAll() {
        for (List<Entry> batch = nextBatch(); !batch.isEmpty(); batch = nextBatch()) {
            send(batch);
        }
    }

    /** Takes what has gathered, each document once; a second write of the same document stays for the next request. */
    private List<Entry> nextBatch() {
        List<Entry> batch = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        synchronized (waiting) {
            for (Iterator<Entry> all = waiting.iterator(); all.hasNext() && batch.size() < MOST_PER_REQUEST; ) {
                Entry entry = all.next();
                if (ids.add(entry.id)) {
                    batch.add(entry);
                    all.remove();
                }
            }
            sending = !batch.isEmpty();
        }
        return batch;
    }

    private void send(List<Entry> batch) {
        List<ObjectNode> documents = batch.stream().map(Entry::document).toList();
        try {
            deliver(batch, sendOrSettle(documents, MOST_TRIES));
        } catch (RuntimeException | Error trouble) {
            batch.forEach(entry -> entry.result.completeExceptionally(trouble));
        }
    }

    private List<WriteResult> sendOrSettle(List<ObjectNode> documents, int triesLeft) {
        try {
            return database.bulkDocs(documents);
        } catch (CouchException trouble) {
            if (isAboutADocument(trouble)) {
                return documents.size() == 1
                        ? List.of(refused(documents.get(0), trouble))
                        : documents.stream()
                                .flatMap(document -> sendOrSettle(List.of(document), triesLeft).stream())
                                .toList();
            }
            if (!trouble.outcomeUnknown() || triesLeft == 0) {
                throw trouble;
            }
            return settle(documents, trouble, triesLeft - 1);
        }
    }

    /** The server refuses a whole request for one document that it cannot store: too large, or with a field of its own. */
    private static boolean isAboutADocument(CouchException trouble) {
        return trouble.status() == 400 || trouble.status() == 413;
    }

    private static WriteResult refused(ObjectNode document, CouchException trouble) {
        return new WriteResult.Refused(
                document.path("_id").asText(), trouble.status(), trouble.error(), trouble.reason());
    }

    /**
     * Finds out what became of writes whose answer was lost, and sends those again that did not arrive. Sending the same
     * document on the same revision twice is harmless: it can be stored only once.
     */
    private List<WriteResult> settle(List<ObjectNode> documents, CouchException lost, int triesLeft) {
        try {
            List<Optional<WriteResult>> known = lostAnswers.lookUp(documents);
            List<ObjectNode> missing = new ArrayList<>();
            for (int i = 0; i < documents.size(); i++) {
                if (known.get(i).isEmpty()) {
                    missing.add(documents.get(i));
                }
            }
            Iterator<WriteResult> sent = sendAgain(missing, triesLeft).iterator();
            return known.stream().map(result -> result.orElseGet(sent::next)).toList();
        } catch (RuntimeException stillUnknown) {
            if (stillUnknown != lost) {
                lost.addSuppressed(stillUnknown);
            }
            throw lost;
        }
    }

    private List<WriteResult> sendAgain(List<ObjectNode> missing, int triesLeft) {
        if (missing.isEmpty()) {
            return List.of();
        }
        List<WriteResult> answers = sendOrSettle(missing, triesLeft);
        if (answers.stream().noneMatch(WriteResult.Conflict.class::isInstance)) {
            return answers;
        }
        // A conflict may be with the first copy, which arrived late.
        List<Optional<WriteResult>> known = lostAnswers.lookUp(missing);
        List<WriteResult> results = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            WriteResult answer = answers.get(i);
            results.add(answer instanceof WriteResult.Conflict ? known.get(i).orElse(answer) : answer);
        }
        return results;
    }

    private static void deliver(List<Entry> batch, List<WriteResult> results) {
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).result.complete(results.get(i));
        }
    }

    private record Entry(String id, ObjectNode document, CompletableFuture<WriteResult> result) {}
}

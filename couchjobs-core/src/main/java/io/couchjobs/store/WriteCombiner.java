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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Sends the writes of all threads of a process as bulk requests: what gathers while one request is in flight goes with the
 * next. A write alone is sent at once; nobody waits for company.
 *
 * <p>A document that is written twice goes into two requests, in order. When an answer is lost, the documents are read
 * again to find out what became of each; only when that fails too does the caller see trouble.
 */
final class WriteCombiner implements AutoCloseable {
    private static final int MOST_PER_REQUEST = 500;
    private static final int MOST_TRIES = 3;

    private final CouchDatabase database;
    private final LostAnswer lostAnswer;
    private final Queue<Entry> waiting = new ArrayDeque<>();
    private final ExecutorService sender;
    private boolean sending;
    private boolean closed;

    WriteCombiner(CouchDatabase database, LostAnswer lostAnswer) {
        this.database = database;
        this.lostAnswer = lostAnswer;
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "couchjobs-writer");
                    thread.setDaemon(true);
                    return thread;
                });
        one.allowCoreThreadTimeOut(true);
        this.sender = one;
    }

    CompletableFuture<WriteResult> write(ObjectNode document) {
        Entry entry = new Entry(document.path("_id").asText(), document, new CompletableFuture<>());
        synchronized (waiting) {
            if (closed) {
                throw new IllegalStateException("the queue is closed; " + entry.id + " was not written");
            }
            waiting.add(entry);
            if (!sending) {
                sending = true;
                sender.execute(this::sendAll);
            }
        }
        return entry.result;
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
            WriteResult[] results = new WriteResult[documents.size()];
            List<Integer> again = new ArrayList<>();
            List<Optional<ObjectNode>> found = database.getAll(ids(documents));
            for (int i = 0; i < results.length; i++) {
                results[i] = judge(documents.get(i), found.get(i));
                if (results[i] instanceof WriteResult.Conflict && isUntouched(documents.get(i), found.get(i))) {
                    again.add(i);
                }
            }
            sendAgain(documents, again, results, triesLeft);
            return List.of(results);
        } catch (RuntimeException stillUnknown) {
            if (stillUnknown != lost) {
                lost.addSuppressed(stillUnknown);
            }
            throw lost;
        }
    }

    private void sendAgain(List<ObjectNode> documents, List<Integer> which, WriteResult[] results, int triesLeft) {
        if (which.isEmpty()) {
            return;
        }
        List<ObjectNode> missing = which.stream().map(documents::get).toList();
        List<WriteResult> answers = sendOrSettle(missing, triesLeft);
        // A conflict may be with the first copy, which arrived late.
        List<Optional<ObjectNode>> found = answers.stream().anyMatch(WriteResult.Conflict.class::isInstance)
                ? database.getAll(ids(missing))
                : List.of();
        for (int i = 0; i < answers.size(); i++) {
            boolean lostRace = answers.get(i) instanceof WriteResult.Conflict;
            results[which.get(i)] = lostRace ? judge(missing.get(i), found.get(i)) : answers.get(i);
        }
    }

    private WriteResult judge(ObjectNode written, Optional<ObjectNode> found) {
        return lostAnswer.settle(written, found);
    }

    private static boolean isUntouched(ObjectNode written, Optional<ObjectNode> found) {
        String base = written.path("_rev").asText();
        return base.equals(found.map(document -> document.path("_rev").asText()).orElse(""));
    }

    private static List<String> ids(List<ObjectNode> documents) {
        return documents.stream().map(document -> document.path("_id").asText()).toList();
    }

    private static void deliver(List<Entry> batch, List<WriteResult> results) {
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).result.complete(results.get(i));
        }
    }

    /** Tells from what is in the database now what became of a write whose answer was lost. */
    interface LostAnswer {
        WriteResult settle(ObjectNode written, Optional<ObjectNode> found);
    }

    private record Entry(String id, ObjectNode document, CompletableFuture<WriteResult> result) {}
}

package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.time.Environment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Writes documents in bulk, and determines the result of each. When an answer is lost, or the server fails on a document,
 * this class reads the documents and sends the missing ones again. If no answer can be obtained, the caller gets an
 * exception; results that are known were reported before. If the server keeps failing on a document, its result says so
 * ({@link WriteResult#isFailure}). On a cluster a write that is found in place is {@code Accepted}, because it is unknown
 * whether a quorum has it. Thread-safe.
 */
final class BulkWriter {
    private static final int MOST_TRIES = 3;
    private static final int MISSING_STUB = 412;
    /** The pause before a lookup; the copies of a cluster usually receive each other's writes within milliseconds. */
    private static final Duration CATCHING_UP = Duration.ofMillis(20);

    private final CouchDatabase database;
    private final LostAnswers lostAnswers;
    private final Consumer<WriteResult> known;
    private final Environment environment;

    /** @param known receives results as soon as they are known, because the results of other documents may stay unknown */
    BulkWriter(CouchDatabase database, LostAnswers lostAnswers, Consumer<WriteResult> known) {
        this.database = database;
        this.lostAnswers = lostAnswers;
        this.known = known;
        this.environment = ServerAccess.environment(database.server());
    }

    /** {@return the result of each document, in their order} */
    List<WriteResult> write(List<ObjectNode> documents) {
        return sendOrSettle(documents, MOST_TRIES);
    }

    private List<WriteResult> sendOrSettle(List<ObjectNode> documents, int triesLeft) {
        try {
            List<WriteResult> results = database.bulkDocs(documents);
            return withoutFailures(
                    IntStream.range(0, results.size())
                            .mapToObj(i -> withSize(results.get(i), documents.get(i)))
                            .toList(),
                    documents,
                    triesLeft);
        } catch (CouchException trouble) {
            if (isAboutADocument(trouble)) {
                return documents.size() == 1 ? refused(documents, trouble, triesLeft) : inHalves(documents, triesLeft);
            }
            if (!trouble.outcomeUnknown() || triesLeft == 0) {
                throw trouble;
            }
            return settle(documents, trouble, triesLeft - 1);
        }
    }

    /**
     * Writes the documents in two halves. Some documents are only too large together; otherwise halving finds the refused
     * document with few requests.
     */
    private List<WriteResult> inHalves(List<ObjectNode> documents, int triesLeft) {
        int half = documents.size() / 2;
        List<WriteResult> results = new ArrayList<>(sendAgain(documents.subList(0, half), triesLeft));
        results.forEach(known);
        results.addAll(sendAgain(documents.subList(half, documents.size()), triesLeft));
        return results;
    }

    /**
     * Looks up and retries the documents on which the server failed, for example because its validation process died. The
     * server may have stored them.
     */
    private List<WriteResult> withoutFailures(List<WriteResult> results, List<ObjectNode> documents, int triesLeft) {
        List<ObjectNode> failed = IntStream.range(0, results.size())
                .filter(i -> results.get(i).isFailure())
                .mapToObj(documents::get)
                .toList();
        if (failed.isEmpty() || triesLeft == 0) {
            return results;
        }
        boolean unused = Environment.pauseUnlessInterrupted(environment, CATCHING_UP);
        try {
            Iterator<WriteResult> again = lookedUp(failed, triesLeft - 1).iterator();
            return results.stream()
                    .map(result -> result.isFailure() ? again.next() : result)
                    .toList();
        } catch (RuntimeException stillUnknown) {
            return results;
        }
    }

    /**
     * Returns whether the server refused the whole request because of one document. Such a document is too large, has a
     * reserved field, or has the stub of an attachment that the server lacks. The server may have stored other documents
     * already.
     */
    private static boolean isAboutADocument(CouchException trouble) {
        boolean isAboutWhoAsks = trouble instanceof CouchUnauthorizedException; // a refused token is also a 400
        return !isAboutWhoAsks
                && (trouble.status() == 400 || trouble.status() == MISSING_STUB || trouble.status() == 413);
    }

    /**
     * Returns the result of a document that was refused alone. A missing attachment (412) means that a copy lacks the
     * revision on which the write is based, because each write names the attachments of its base. For that copy the write is
     * a conflict, but other copies may have stored it.
     */
    private List<WriteResult> refused(List<ObjectNode> alone, CouchException trouble, int triesLeft) {
        String id = alone.get(0).path("_id").asText();
        if (trouble.status() != MISSING_STUB || !alone.get(0).has("_rev")) {
            return List.of(withSize(
                    new WriteResult.Refused(id, trouble.status(), trouble.error(), trouble.reason()), alone.get(0)));
        }
        if (triesLeft == 0) {
            return List.of(new WriteResult.Conflict(id));
        }
        boolean unused = Environment.pauseUnlessInterrupted(environment, CATCHING_UP);
        return settle(alone, trouble, triesLeft - 1);
    }

    private WriteResult withSize(WriteResult result, ObjectNode document) {
        return result instanceof WriteResult.Refused no && no.status() == 413
                ? new WriteResult.Refused(
                        no.id(), no.status(), no.error(), (no.reason() + " " + tooLarge(document)).strip())
                : result;
    }

    /** Returns the size of a document and the limit, which the server's error does not contain. */
    private String tooLarge(ObjectNode document) {
        int size = document.toString().getBytes(StandardCharsets.UTF_8).length;
        OptionalLong limit = database.server().largestDocument();
        return "(" + size + " bytes of JSON" + (limit.isPresent() ? "; max_document_size is " + limit.getAsLong() : "")
                + ")";
    }

    /**
     * Determines the results of writes whose answer was lost, and sends the missing documents again. Sending a document with
     * the same revision twice is harmless, because it can be stored only once.
     */
    private List<WriteResult> settle(List<ObjectNode> documents, CouchException lost, int triesLeft) {
        try {
            return lookedUp(documents, triesLeft);
        } catch (RuntimeException stillUnknown) {
            if (stillUnknown != lost) {
                lost.addSuppressed(stillUnknown);
            }
            throw lost;
        }
    }

    private List<WriteResult> lookedUp(List<ObjectNode> documents, int triesLeft) {
        List<Optional<WriteResult>> found = lostAnswers.lookUp(documents);
        List<ObjectNode> missing = new ArrayList<>();
        for (int i = 0; i < documents.size(); i++) {
            found.get(i).ifPresent(known);
            if (found.get(i).isEmpty()) {
                missing.add(documents.get(i));
            }
        }
        Iterator<WriteResult> sent = sendAgain(missing, triesLeft).iterator();
        return found.stream().map(result -> result.orElseGet(sent::next)).toList();
    }

    private static boolean isFinal(WriteResult answer) {
        return !(answer instanceof WriteResult.Conflict) && !answer.isFailure();
    }

    private List<WriteResult> sendAgain(List<ObjectNode> missing, int triesLeft) {
        if (missing.isEmpty()) {
            return List.of();
        }
        List<WriteResult> answers = sendOrSettle(missing, triesLeft);
        if (answers.stream().noneMatch(WriteResult.Conflict.class::isInstance)) {
            return answers;
        }
        answers.stream().filter(BulkWriter::isFinal).forEach(known);
        // The conflict may be with the first attempt, which arrived late.
        List<Optional<WriteResult>> found = lostAnswers.lookUp(missing);
        List<WriteResult> results = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            WriteResult answer = answers.get(i);
            results.add(answer instanceof WriteResult.Conflict ? found.get(i).orElse(answer) : answer);
        }
        return results;
    }
}

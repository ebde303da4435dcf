package io.couchjobs.test;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.JobId;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes trouble with the database on purpose, so that a test can see what the program does then. Thread-safe. The queue itself
 * survives all of it, and repeats requests and reports failures as in production.
 */
public final class TestFaults {
    private final Faults faults;
    private final CouchDatabase database;

    TestFaults(Faults faults, CouchDatabase database) {
        this.faults = faults;
        this.database = database;
    }

    /**
     * Answers the next requests with a status, and does not carry them out; the feed of changes is left alone. The client repeats
     * some reads that are answered 429 or 503 by itself, and each repetition counts.
     *
     * @param requests how many
     * @param status the HTTP status, such as 500
     */
    public void failNext(int requests, int status) {
        faults.answer(requests, request -> !isFeed(request), status);
    }

    /**
     * Answers the next writes with a status, and does not carry them out.
     *
     * @param writes how many
     * @param status the HTTP status, such as 500
     */
    public void failNextWrites(int writes, int status) {
        faults.answer(writes, TestFaults::isWrite, status);
    }

    /** Carries out the next write and cuts the connection instead of answering it: it is stored, and nobody is told. */
    public void loseNextAnswer() {
        faults.loseAnswer(1, TestFaults::isWrite);
    }

    /**
     * Lets another client write a job just before the next write arrives, so that the next write conflicts (409) if it is of the
     * same job.
     *
     * @param type the job's type
     * @param id the job's id
     */
    public void conflictOn(String type, String id) {
        AtomicBoolean done = new AtomicBoolean();
        faults.answer(
                1,
                request -> {
                    if (isWrite(request) && done.compareAndSet(false, true)) {
                        touch(new JobId(type, id));
                    }
                    return false;
                },
                409);
    }

    /** Takes the server away, until {@link #serverBack}: every request's connection is cut. */
    public void serverAway() {
        faults.cut(Integer.MAX_VALUE, request -> true);
    }

    /** Brings the server back, and ends all other trouble. */
    public void serverBack() {
        faults.clear();
    }

    /**
     * Holds back the next write until it is released: a slow server.
     *
     * @return the switch
     */
    public Faults.Held holdNextWrite() {
        return faults.delay(1, TestFaults::isWrite);
    }

    private void touch(JobId id) {
        database.get(id.docId()).ifPresent(document -> {
            ObjectNode changed =
                    document.put("touched", document.path("touched").asInt() + 1);
            database.put(changed);
        });
    }

    private static boolean isFeed(Faults.Request request) {
        return request.path().endsWith("/_changes");
    }

    private static boolean isWrite(Faults.Request request) {
        return request.method().equals("PUT") || request.path().endsWith("/_bulk_docs");
    }
}

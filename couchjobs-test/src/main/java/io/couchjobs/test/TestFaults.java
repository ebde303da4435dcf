package io.couchjobs.test;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.JobId;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Injects faults between a queue and its database, so that a test can check how the program reacts. The queue behaves as in
 * production: it repeats requests and reports failures. Thread-safe.
 */
public final class TestFaults {
    private final Faults faults;
    private final CouchDatabase database;

    TestFaults(Faults faults, CouchDatabase database) {
        this.faults = faults;
        this.database = database;
    }

    /**
     * Answers the next requests with a status, without executing them. Requests of the changes feed are not affected. The client
     * repeats some reads that were answered 429 or 503; each repetition counts as a request.
     *
     * @param requests the number of requests to fail
     * @param status the HTTP status, such as 500
     */
    public void failNext(int requests, int status) {
        faults.answer(requests, request -> !isFeed(request), status);
    }

    /**
     * Answers the next writes with a status, without executing them.
     *
     * @param writes the number of writes to fail
     * @param status the HTTP status, such as 500
     */
    public void failNextWrites(int writes, int status) {
        faults.answer(writes, TestFaults::isWrite, status);
    }

    /** Executes the next write, but closes the connection instead of answering: the client does not learn of the write. */
    public void loseNextAnswer() {
        faults.loseAnswer(1, TestFaults::isWrite);
    }

    /**
     * Changes a job just before the next write is executed. If that write is of the same job, it conflicts (409).
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

    /** Makes the server unreachable until {@link #serverBack}: closes the connection of every request. */
    public void serverAway() {
        faults.cut(Integer.MAX_VALUE, request -> true);
    }

    /** Makes the server reachable again, and ends all other faults. */
    public void serverBack() {
        faults.clear();
    }

    /**
     * Delays the next write until the test releases it, as a slow server would.
     *
     * @return the handle that releases the write
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

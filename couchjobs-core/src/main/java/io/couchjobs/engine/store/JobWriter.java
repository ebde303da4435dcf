package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Job;
import io.couchjobs.job.Site;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Writes jobs. Thread-safe.
 *
 * <p>A write is conditional: CouchDB compares the job's {@code _rev} with the stored one and stores nothing when they
 * differ. The server's answer is a value, not an exception: {@code Stored} (a quorum has it: only this makes a claimer the
 * owner), {@code Accepted} (stored somewhere, no quorum: not yours), {@code Conflict} (another writer was first) or
 * {@code Refused} (the database's own rules). All writes of a process are combined into bulk requests. When an answer
 * is lost, the documents are read again, and a write that is found in place counts as stored; on a cluster only as
 * accepted, because a reading there does not show the state that a quorum has.
 */
public final class JobWriter implements AutoCloseable {
    private final CouchDatabase database;
    private final Site site;
    private final Copies copies;
    private final LostAnswers lostAnswers;
    private final WriteCombiner combiner;
    private final MajorityProbe majority;
    private final OwnWrites ownWrites = new OwnWrites();
    private final Set<String> claimsUnderWay = ConcurrentHashMap.newKeySet();

    /**
     * Writes into one of several databases. No I/O.
     *
     * @param written is told how many documents each bulk request stored, or tried to; quick, and throws nothing
     */
    public JobWriter(CouchDatabase database, Site site, IntConsumer written) {
        this.database = database;
        this.site = site;
        this.copies = new Copies(database);
        this.lostAnswers = new LostAnswers(database, copies);
        this.combiner = new WriteCombiner(database, lostAnswers, written);
        this.majority = new MajorityProbe(database, copies);
    }

    public CouchDatabase database() {
        return database;
    }

    public Site site() {
        return site;
    }

    public Environment environment() {
        return ServerAccess.environment(database.server());
    }

    Copies copies() {
        return copies;
    }

    LostAnswers lostAnswers() {
        return lostAnswers;
    }

    public OwnWrites ownWrites() {
        return ownWrites;
    }

    /** {@return the probe that tells whether a reading is that of a majority of the copies} */
    public MajorityProbe majority() {
        return majority;
    }

    /** {@return the tokens of claims that were sent and may yet make owners} */
    public Set<String> claimsUnderWay() {
        return claimsUnderWay;
    }

    /** Whether a node could show a revision that does not count; false when this process knows that it does. */
    public boolean isDoubtful(String docId, String rev) {
        return copies.mayBeSeveral() && !ownWrites.areSure(docId, rev);
    }

    /** Writes a job on the revision it carries; without a revision it must not exist yet. */
    public WriteResult write(Job job) {
        return join(writeSoon(job));
    }

    /**
     * Writes a job as {@link #write(Job)} does, for its owner.
     *
     * @param isSure whether no other leaf counts more once this one is confirmed; asked when the answer comes
     */
    public WriteResult write(Job job, BooleanSupplier isSure) {
        return join(writeSoon(job, isSure));
    }

    /** Starts to write a job as {@link #write(Job, BooleanSupplier)} does. */
    public CompletableFuture<WriteResult> writeSoon(Job job, BooleanSupplier isSure) {
        return send(documentOf(job), isSure);
    }

    /** Starts to write a job as {@link #write(Job)} does; completed exceptionally when the server cannot be reached. */
    public CompletableFuture<WriteResult> writeSoon(Job job) {
        return send(documentOf(job));
    }

    /** Writes many jobs, each on the revision it carries and independent of the others; the answers in the same order. */
    public List<WriteResult> writeAll(List<Job> jobs) {
        List<ObjectNode> documents = jobs.stream().map(JobWriter::documentOf).toList();
        List<CompletableFuture<WriteResult>> writes = combiner.writeAll(documents);
        for (int i = 0; i < documents.size(); i++) {
            ownWrites.note(documents.get(i), writes.get(i), () -> false);
        }
        return writes.stream().map(this::join).toList();
    }

    /** Writes a job, or its tombstone; it is no news when the feed reports it. */
    CompletableFuture<WriteResult> send(ObjectNode document) {
        return send(document, () -> false);
    }

    private CompletableFuture<WriteResult> send(ObjectNode document, BooleanSupplier isSure) {
        CompletableFuture<WriteResult> write = combiner.write(document);
        ownWrites.note(document, write, isSure);
        return write;
    }

    /** Writes a document with the next bulk request; listeners of the feed hear of it as of any other. */
    public CompletableFuture<WriteResult> writeSoon(ObjectNode document) {
        return combiner.write(document);
    }

    public WriteResult join(CompletableFuture<WriteResult> write) {
        try {
            return environment().join(write);
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException trouble) {
                throw trouble;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        combiner.close();
    }

    /** Not copied: a write only reads it. */
    private static ObjectNode documentOf(Job job) {
        return (ObjectNode) job.document();
    }
}

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
 * <p>Writes are conditional: CouchDB compares the job's {@code _rev} with the stored revision and stores nothing if they
 * differ. The result is a value, not an exception. {@code Stored} means that a quorum has stored the write; only this result
 * can make a claimer the owner. {@code Accepted} means that some copy has stored it, but no quorum. {@code Conflict} means
 * that another writer was first, and {@code Refused} that the rules of the database forbid the write. All writes of a process
 * are combined into bulk requests. When an answer is lost, the documents are read again. A write that is found in place then
 * counts as stored, but on a cluster only as accepted, because a read does not show the state that a quorum has.
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
     * Creates a writer without I/O.
     *
     * @param written receives the number of documents that each bulk request stored or tried to store; must be quick and not
     *     throw
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

    /** {@return the probe that determines whether a read shows the state of a majority of the copies} */
    public MajorityProbe majority() {
        return majority;
    }

    /** {@return the tokens of claims that were sent and may still make owners} */
    public Set<String> claimsUnderWay() {
        return claimsUnderWay;
    }

    /** Returns whether a revision that a node shows may not count; false if this process knows that it counts. */
    public boolean isDoubtful(String docId, String rev) {
        return copies.mayBeSeveral() && !ownWrites.areSure(docId, rev);
    }

    /** Writes a job if its revision is still the present one; a job without a revision must not exist yet. */
    public WriteResult write(Job job) {
        return join(writeSoon(job));
    }

    /**
     * Writes a job as {@link #write(Job)} does, for its owner.
     *
     * @param isSure returns whether no other leaf counts more than this one after its confirmation; called when the answer
     *     comes
     */
    public WriteResult write(Job job, BooleanSupplier isSure) {
        return join(writeSoon(job, isSure));
    }

    /** Starts a write like {@link #write(Job, BooleanSupplier)}. */
    public CompletableFuture<WriteResult> writeSoon(Job job, BooleanSupplier isSure) {
        return send(documentOf(job), isSure);
    }

    /** Starts a write like {@link #write(Job)}; the future completes exceptionally if the server cannot be reached. */
    public CompletableFuture<WriteResult> writeSoon(Job job) {
        return send(documentOf(job));
    }

    /** Writes many jobs independently of each other, each conditional on its revision. Returns the results in the same order. */
    public List<WriteResult> writeAll(List<Job> jobs) {
        List<ObjectNode> documents = jobs.stream().map(JobWriter::documentOf).toList();
        List<CompletableFuture<WriteResult>> writes = combiner.writeAll(documents);
        for (int i = 0; i < documents.size(); i++) {
            ownWrites.note(documents.get(i), writes.get(i), () -> false);
        }
        return writes.stream().map(this::join).toList();
    }

    /**
     * Starts to write a job or its tombstone, and records it as an own write, so that the feed's report of it does not count
     * as news.
     */
    CompletableFuture<WriteResult> send(ObjectNode document) {
        return send(document, () -> false);
    }

    private CompletableFuture<WriteResult> send(ObjectNode document, BooleanSupplier isSure) {
        CompletableFuture<WriteResult> write = combiner.write(document);
        ownWrites.note(document, write, isSure);
        return write;
    }

    /** Starts to write a document in the next bulk request. Listeners of the feed are notified of it as of any other change. */
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

    /** Returns the document without a copy, because a write only reads it. */
    private static ObjectNode documentOf(Job job) {
        return (ObjectNode) job.document();
    }
}

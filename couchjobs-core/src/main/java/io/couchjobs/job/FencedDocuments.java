package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import java.util.function.UnaryOperator;

/**
 * Documents that a job writes outside of the queue, safe from owners that do not know yet that they lost the job.
 * Thread-safe. Takes the place of the RFC's transactional update: CouchDB cannot change two documents together.
 *
 * <p>Each write stamps the document, in its field {@value #STAMPS}, with the job and the claim that wrote it. An owner
 * that finds the stamp of another claim of the same job reads the job, and halts unless it still owns it. The writes of
 * an earlier owner <em>before</em> the later one's first write stay, so a later owner finds them and decides whether
 * the work is done.
 *
 * <p>Neither clocks nor numbers decide. An owner reads the job only after it has found the stamp of another claim. If it
 * still owns the job then, that claim came before its own, and it may write. If not, it must not write. The stamp of an
 * earlier owner never halts a later one, whatever happened to the job in between.
 *
 * <p>Any other writer of such a document must keep the field.
 */
public interface FencedDocuments {
    /** The field with the stamps, by job: {@code {"job:TYPE:ID": {"claim": "token", "fence": number}}}. */
    String STAMPS = "fences";

    /**
     * Changes or creates a document, unless this claim has lost the job and another one has written it. Repeated when
     * another writer is faster, so the change may be called more than once. When another claim of the job wrote the
     * document last, the job is read first, as {@link ClaimedJob#assertOwned} does.
     *
     * @param id the document's {@code _id}
     * @param change from the present document (without {@code _rev}; with only an {@code _id} when there is none) to
     *     the new one
     * @return the document as stored
     * @throws HaltException when another claim of the job has written it, and this one does not own the job any more; nothing was
     *     written
     * @throws WriteRefusedException when the database refuses the document
     * @throws UnconfirmedException when no majority of a cluster's copies confirms it; it was taken back as far as can be
     * @throws ContentionException when others keep writing it; nothing was written
     * @throws CouchException when the database cannot be reached; the document may have been written
     */
    ObjectNode change(String id, UnaryOperator<ObjectNode> change);

    /**
     * Stamps a document and leaves it otherwise as it is: from then on no earlier claim of the job can change it. For a handler
     * that reads first, works, and writes in the end.
     *
     * @param id the document's {@code _id}
     * @return the document as stored
     * @throws HaltException when another claim of the job has written it, and this one does not own the job any more; nothing was
     *     written
     * @throws CouchException when the database cannot be reached; the document may have been written
     */
    ObjectNode take(String id);
}

package io.couchjobs.trigger;

import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The triggers of a queue. Thread-safe; returned by {@link io.couchjobs.JobQueue#triggers()}.
 *
 * <p>A trigger is one document, {@code trigger:NAME}. One of the processes that have a worker follows its sources. All methods
 * throw {@link io.couchjobs.couch.config.CouchException} when the database cannot be used, and {@link
 * io.couchjobs.job.WriteRefusedException} when the database's own rules refuse a change.
 */
public interface Triggers {
    /**
     * Creates or replaces a trigger. Idempotent. An existing trigger goes on from its position, whatever {@link
     * TriggerBuilder#from} says, and stays paused if it was paused.
     *
     * @param trigger the trigger
     * @return the trigger as stored
     * @throws IllegalArgumentException when a source cannot be read, or rejects the selector or the position; or when the trigger
     *     would follow its own position in the queue's database. Nothing was written
     * @throws io.couchjobs.couch.config.CouchUnreachableException when the server of a source or of the queue cannot be reached. If
     *     the queue's server cannot be reached, the trigger may have been stored
     */
    Trigger put(Trigger trigger);

    /**
     * Reads a trigger.
     *
     * @param name the trigger's name
     * @return the trigger; empty when no trigger has this name
     * @throws MalformedDocumentException when the trigger's document is malformed
     */
    Optional<Trigger> get(String name);

    /** {@return all triggers, ordered by name, without the {@linkplain #malformed malformed} ones} */
    List<Trigger> list();

    /** {@return what is wrong with each malformed trigger document, by the name of the trigger} */
    Map<String, String> malformed();

    /**
     * Returns how far a trigger has read its sources. Sends one request per source.
     *
     * @param name the trigger's name
     * @return the trigger's status
     * @throws NotFoundException when no trigger has this name
     * @throws MalformedDocumentException when the trigger's document is malformed
     */
    TriggerStatus status(String name);

    /**
     * Returns how far all triggers have read their sources. Sends one request per source.
     *
     * @return the status of each trigger, ordered by name, without the {@linkplain #malformed malformed} ones
     */
    List<TriggerStatus> statuses();

    /**
     * Pauses a trigger. The trigger keeps its position, so it misses no change.
     *
     * @param name the trigger's name
     * @return the trigger as stored
     * @throws NotFoundException when no trigger has this name
     */
    Trigger pause(String name);

    /**
     * Resumes a trigger from its position.
     *
     * @param name the trigger's name
     * @return the trigger as stored
     * @throws NotFoundException when no trigger has this name
     */
    Trigger resume(String name);

    /**
     * Removes a trigger and its positions, even if the trigger is malformed. Its jobs stay.
     *
     * @param name the trigger's name
     * @throws NotFoundException when no trigger has this name
     */
    void remove(String name);

    /**
     * Returns the jobs that a trigger would make from a document in its present state. Makes no job.
     *
     * @param name the trigger's name
     * @param database the database of the document; required if the source is a pattern
     * @param docId the document's {@code _id}
     * @return the plan
     * @throws NotFoundException when the trigger or the document does not exist
     * @throws IllegalArgumentException when the trigger does not follow the database
     */
    Trigger.Plan test(String name, Optional<String> database, String docId);

    /**
     * Sends a trigger back to an earlier position, from which it makes jobs for the same changes once more. With {@code now}, the
     * trigger instead repeats nothing and skips the waiting changes. An outbox entry makes no new job while its earlier job still
     * exists.
     *
     * @param name the trigger's name
     * @param from {@code beginning}, {@code now}, or, if the source is one database, a position of its feed
     * @throws NotFoundException when no trigger has this name
     * @throws IllegalArgumentException when the source cannot be read from that position; the trigger stays where it is
     */
    void replay(String name, String from);

    /**
     * Lists the changes that failed: the newest 20 of each source.
     *
     * @param name the trigger's name
     * @return the errors, grouped by database, the newest of each database last
     * @throws NotFoundException when no trigger has this name
     */
    List<TriggerStatus.Failure> errors(String name);

    /**
     * Retries the changes that {@link #errors} lists, with the documents in their present state.
     *
     * @param name the trigger's name
     * @return the number of changes that will be retried
     * @throws NotFoundException when no trigger has this name
     */
    int retryErrors(String name);
}

package io.couchjobs.trigger;

import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The triggers of a queue. Thread-safe; made by {@link io.couchjobs.JobQueue#triggers()}.
 *
 * <p>A trigger is one document, {@code trigger:NAME}. Its sources are followed by one of the processes that have a worker. All methods
 * throw {@link io.couchjobs.couch.config.CouchException} when the database cannot be used, and {@link
 * io.couchjobs.job.WriteRefusedException} when its own rules refuse a change.
 */
public interface Triggers {
    /**
     * Creates or replaces a trigger. Idempotent. One that exists goes on from where it is, whatever {@link TriggerBuilder#from} says, and
     * stays paused if it was.
     *
     * @param trigger the trigger
     * @return the trigger as stored
     * @throws IllegalArgumentException when a source cannot be read, or does not take the selector or the position; or when the trigger would
     *     follow its own position in the queue's database. Nothing was written
     * @throws io.couchjobs.couch.config.CouchUnreachableException when the server of a source cannot be reached, or that of the queue; in the latter
     *     case the trigger may have been stored
     */
    Trigger put(Trigger trigger);

    /**
     * Reads a trigger.
     *
     * @param name its name
     * @return the trigger; empty when there is none
     * @throws MalformedDocumentException when the document cannot be a trigger
     */
    Optional<Trigger> get(String name);

    /** {@return all triggers, by name; without those that {@link #malformed} names} */
    List<Trigger> list();

    /** {@return the documents that have the id of a trigger and cannot be one: by name, what is wrong} */
    Map<String, String> malformed();

    /**
     * Asks how far a trigger is. One request per source of it.
     *
     * @param name its name
     * @return its state
     * @throws NotFoundException when there is none
     * @throws MalformedDocumentException when the document cannot be a trigger
     */
    TriggerStatus status(String name);

    /** {@return how far all triggers are, by name; without those that {@link #malformed} names. One request per source of each} */
    List<TriggerStatus> statuses();

    /**
     * Lets a trigger wait. Its position stays, so that it misses nothing.
     *
     * @param name its name
     * @return the trigger as stored
     * @throws NotFoundException when there is none
     */
    Trigger pause(String name);

    /**
     * Lets a trigger go on from where it is.
     *
     * @param name its name
     * @return the trigger as stored
     * @throws NotFoundException when there is none
     */
    Trigger resume(String name);

    /**
     * Removes a trigger, even one that is malformed, and its positions. Its jobs stay.
     *
     * @param name its name
     * @throws NotFoundException when there is none
     */
    void remove(String name);

    /**
     * Shows what a trigger would make of a document as it is now. Makes nothing.
     *
     * @param name its name
     * @param database the database of the document, if the source is a pattern
     * @param docId the document's {@code _id}
     * @return the plan
     * @throws NotFoundException when there is no such trigger or document
     * @throws IllegalArgumentException when the trigger does not follow the database
     */
    Trigger.Plan test(String name, Optional<String> database, String docId);

    /**
     * Sends a trigger back: it makes jobs for the same changes once more. From {@code now} it repeats nothing, and skips the changes
     * that are waiting. An outbox entry makes no new job while the job it made before still exists.
     *
     * @param name its name
     * @param from {@code beginning}, {@code now}, or, if the source is one database, a position of its feed
     * @throws NotFoundException when there is none
     * @throws IllegalArgumentException when the source cannot be read from that position; the trigger stays where it is
     */
    void replay(String name, String from);

    /**
     * Lists the changes of which a trigger could not make what it should, the newest 20 of each source.
     *
     * @param name its name
     * @return the errors, by database, the newest last
     * @throws NotFoundException when there is none
     */
    List<TriggerStatus.Failure> errors(String name);

    /**
     * Tries the changes again that {@link #errors} lists, with the documents as they are now.
     *
     * @param name its name
     * @return how many will be tried
     * @throws NotFoundException when there is none
     */
    int retryErrors(String name);
}

package io.couchjobs.trigger;

import java.time.Instant;

/**
 * A change of which a trigger could not make what it should. Immutable and thread-safe.
 *
 * @param database the name of the database
 * @param docId the document's {@code _id}
 * @param rev the revision
 * @param at when it was tried
 * @param reason why it failed, in words
 * @param retryable whether it may succeed later though neither the document nor the trigger changes
 */
public record TriggerError(String database, String docId, String rev, Instant at, String reason, boolean retryable) {}

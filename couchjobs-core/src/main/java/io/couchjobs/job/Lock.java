package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.Field;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a job: its owner. Immutable and thread-safe.
 *
 * <p>On a cluster a claim can be stored without making an owner. It is then withdrawn: the document keeps its status and its
 * lock until the conflict is resolved, but it makes no owner.
 *
 * @param token a UUID, new with every claim, by which the owner proves its ownership
 * @param worker the id of the worker that claimed the job
 * @param since when it was claimed, by the claimer's clock corrected to the server's
 * @param withdrawal that the claim does not count, or null
 */
public record Lock(
        String token,
        String worker,
        Instant since,
        @Nullable Withdrawal withdrawal) {
    /**
     * A lock that counts.
     *
     * @param token a UUID, new with every claim
     * @param worker the id of the worker that claimed the job
     * @param since when it was claimed
     */
    public Lock(String token, String worker, Instant since) {
        this(token, worker, since, null);
    }

    static Lock of(JsonNode lock) {
        JsonNode withdrawn = lock.path(Field.WITHDRAWN);
        return new Lock(
                lock.path(Field.TOKEN).asText(),
                lock.path(Field.WORKER).asText(),
                Instant.ofEpochMilli(lock.path(Field.SINCE).asLong()),
                withdrawn.isObject()
                        ? new Withdrawal(
                                Instant.ofEpochMilli(withdrawn.path(Field.AT).asLong()),
                                withdrawn.path(Field.REASON).asText())
                        : null);
    }

    /** {@return that the claim does not count, if it does not} */
    public Optional<Withdrawal> withdrawn() {
        return Optional.ofNullable(withdrawal);
    }

    /**
     * States that a claim does not count. Immutable and thread-safe.
     *
     * @param at when that was written
     * @param reason why, in words
     */
    public record Withdrawal(Instant at, String reason) {}
}

package io.couchjobs.engine.limit;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A due job that a worker tries to claim. It is found, granted the slots and starts that its limits require, and won or
 * lost. Not thread-safe: only one thread at a time has it.
 */
public final class Candidate {
    /** The state of the attempt to claim. */
    public enum State {
        /** It was taken out of the known jobs. Without room it stays in this state. */
        FOUND,
        /** Its limits have room, and its claim may be written. */
        GRANTED,
        /** This worker owns the job. */
        WON,
        /** Another worker was first, or the claim was withdrawn. */
        LOST,
        /** A rule of the database refuses the claim, or the server fails on the job. */
        FORBIDDEN;

        /** {@return whether the claim was sent, and is not lost as far as is known} */
        public boolean isClaimed() {
            return this == GRANTED || this == WON;
        }
    }

    private final Job job;
    private final String token;
    private List<Slot> slots = List.of();
    private boolean countsAsStart;
    private Instant at = Instant.EPOCH;
    private State state = State.FOUND;
    private @Nullable Job claimed;

    /** @param token the token of the claim, which its slots name too */
    public Candidate(Job job, String token) {
        this.job = job;
        this.token = token;
    }

    public Job job() {
        return job;
    }

    public JobId id() {
        return job.id();
    }

    public String token() {
        return token;
    }

    /** {@return when it was granted; a start that a rate allows belongs to the window of this time} */
    public Instant at() {
        return at;
    }

    public State state() {
        return state;
    }

    /** {@return whether it has slots, which are given back at the end of its claim} */
    public boolean hasSlots() {
        return !slots.isEmpty();
    }

    /** Takes in that this worker owns the job, as the claim stored it. */
    public void won(Job stored) {
        claimed = stored;
        state = State.WON;
    }

    /** {@return the job as the claim stored it; only for a candidate that was won} */
    public Job claimed() {
        return Objects.requireNonNull(claimed);
    }

    public void lost() {
        state = State.LOST;
    }

    public void forbidden() {
        state = State.FORBIDDEN;
    }

    List<Slot> slots() {
        return slots;
    }

    void wants(List<Slot> picked) {
        slots = picked;
    }

    /** Gives up the start that a rate allowed, and returns whether there was one. */
    synchronized boolean giveUpStart() {
        boolean hadStart = countsAsStart;
        countsAsStart = false;
        return hadStart;
    }

    synchronized void granted(Instant now, boolean usesStart) {
        at = now;
        countsAsStart = usesStart;
        state = State.GRANTED;
    }

    void refused() {
        slots = List.of();
    }
}

package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A run of a job by a handler, as the handler noted it. Immutable.
 *
 * @param job the document id of the job
 * @param token the token of the claim
 * @param fence the fence of the claim
 * @param begin the note at the begin of the run
 * @param entries all notes of the run
 */
record Run(String job, String token, long fence, Entry begin, List<Entry> entries) {
    /** The outcomes whose write the database has stored. */
    private static final Set<String> STORED = Set.of("SUCCEEDED", "RETRIED", "FAILED", "CANCELLED", "RELEASED");

    private Optional<Entry> first(What what) {
        return entries.stream().filter(entry -> entry.what() == what).findFirst();
    }

    /** {@return the notes of an event} */
    List<Entry> all(What what) {
        return entries.stream().filter(entry -> entry.what() == what).toList();
    }

    /** {@return the time when the handler ended; empty when its process was killed before} */
    OptionalLong end() {
        return first(What.END).map(Entry::nanos).map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    /** {@return whether the handler had succeeded before another run began} */
    boolean isDoneBefore(Run later) {
        OptionalLong end = end();
        return how().equals("done")
                && end.isPresent()
                && end.getAsLong() < later.begin().nanos();
    }

    /** {@return the note that the handler should have been interrupted but was not; empty without such a note} */
    Optional<Entry> untold() {
        return first(What.UNTOLD);
    }

    /** {@return how the handler ended; empty when its process was killed before} */
    String how() {
        return first(What.END).map(Entry::detail).orElse("");
    }

    /** {@return whether the handler failed, or was stopped at its time limit} */
    boolean isFailed() {
        return how().equals("failed") || isTooSlow();
    }

    boolean isTooSlow() {
        return how().equals("stopped TOO_SLOW");
    }

    /** {@return the outcome that the queue reported; empty when the process was killed before, or does not note outcomes} */
    String outcome() {
        return first(What.OUTCOME).map(Entry::detail).orElse("");
    }

    /** {@return whether the process notes outcomes} */
    boolean isHeardOf() {
        return WorkerProcess.notesOutcomes(begin.process());
    }

    boolean isStored() {
        return STORED.contains(outcome());
    }

    /**
     * Returns the last note that proves that the run's process owned the job at the note's time or later. Such proofs are a lease
     * that had not ended, a confirmation by the database, and an end that the database stored later.
     *
     * @return the note; empty without a proof
     */
    Optional<Entry> lastProof() {
        return entries.stream()
                .filter(entry -> entry.what() == What.HELD
                        || entry.what() == What.ASSERTED
                        || (entry.what() == What.END && isStored()))
                .max(Comparator.comparingLong(Entry::nanos));
    }

    @Override
    public String toString() {
        return job + " fence " + fence + " by " + begin.process() + " (" + token + ", begun " + begin.nanos() + ", "
                + how() + ", " + outcome() + ")";
    }
}

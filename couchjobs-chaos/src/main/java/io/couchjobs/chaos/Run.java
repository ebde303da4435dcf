package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * One run of a job by a handler, as the handler noted it. Immutable.
 *
 * @param job the document id of the job
 * @param token its claim
 * @param fence its fence
 * @param begin what it noted when it began
 * @param entries all that it noted
 */
record Run(String job, String token, long fence, Entry begin, List<Entry> entries) {
    /** The outcomes that are a write which the database took. */
    private static final Set<String> STORED = Set.of("SUCCEEDED", "RETRIED", "FAILED", "CANCELLED", "RELEASED");

    private Optional<Entry> first(What what) {
        return entries.stream().filter(entry -> entry.what() == what).findFirst();
    }

    /** {@return what it noted of that} */
    List<Entry> all(What what) {
        return entries.stream().filter(entry -> entry.what() == what).toList();
    }

    /** {@return when the handler was done; empty when its process was killed before} */
    OptionalLong end() {
        return first(What.END).map(Entry::nanos).map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    /** {@return whether its handler was done when another run began} */
    boolean isDoneBefore(Run later) {
        OptionalLong end = end();
        return how().equals("done")
                && end.isPresent()
                && end.getAsLong() < later.begin().nanos();
    }

    /** {@return the note that it should have been stopped, and was not told; empty when it was told} */
    Optional<Entry> untold() {
        return first(What.UNTOLD);
    }

    /** {@return how the handler ended} */
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

    /** {@return the outcome that the queue reported; empty when its process was killed before, or notes none} */
    String outcome() {
        return first(What.OUTCOME).map(Entry::detail).orElse("");
    }

    /** {@return whether its process notes outcomes} */
    boolean isHeardOf() {
        return WorkerProcess.notesOutcomes(begin.process());
    }

    boolean isStored() {
        return STORED.contains(outcome());
    }

    /**
     * Returns the last note that proves that the run's process owned the job at the note's time or later. Proofs are a lease that
     * was not over, a confirmation by the database, and an end that the database stored later.
     *
     * @return the note; empty when there is none
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

package io.couchjobs.chaos;

import java.util.List;
import java.util.stream.Stream;

/**
 * Finds broken promises, by comparing the notes of the processes with the final contents of the database. It does not use the
 * queue, and knows nothing of how it works.
 *
 * <p><b>Ownership.</b> Each claim has a token and a fence, and the claims of a job come one after the other, in the order of
 * their fences. A claim has been granted before its handler is called ({@code BEGIN}), and the claims before it have ended by
 * then. So a run is superseded from the moment at which a run with a greater fence began. The times of handlers are not compared:
 * a process that was frozen may run its handler on for a moment, and a busy machine may delay its interruption. Both are allowed.
 * But there must be no <em>proof of ownership</em> after that moment, see {@link Run#lastProof}.
 */
final class Checker {
    private Checker() {}

    /**
     * Looks for broken promises.
     *
     * @param history what was noted
     * @param ending what was there in the end
     * @return the broken promises, in words that begin with the name of the promise
     */
    static List<String> violations(History history, Ending ending) {
        if (history.runs().isEmpty()) {
            return List.of("nothing was run, so nothing is proved");
        }
        return Stream.of(
                        standstill(history),
                        OwnershipRules.violations(history, ending),
                        OutcomeRules.violations(history, ending),
                        ArrayRules.violations(history, ending),
                        CreatorRules.violations(history, ending),
                        ReaderRules.violations(history, ending),
                        ChangeRules.violations(ending),
                        DatabaseRules.violations(ending))
                .flatMap(List::stream)
                .toList();
    }

    private static List<String> standstill(History history) {
        return history.first(Entry.NO_JOB, Entry.What.DEADLOCKED).stream()
                .map(entry -> "nobody stands still: in " + entry.process() + " wait for each other: " + entry.detail())
                .toList();
    }
}

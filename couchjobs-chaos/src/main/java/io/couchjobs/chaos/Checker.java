package io.couchjobs.chaos;

import java.util.List;
import java.util.stream.Stream;

/**
 * Finds broken promises by comparing the notes of the processes with the final contents of the database. Does not use the queue,
 * and does not depend on its implementation.
 *
 * <p><b>Ownership.</b> Each claim has a token and a fence. The claims of a job follow one another in the order of their fences.
 * When a handler is called ({@code BEGIN}), its claim has been granted and all earlier claims have ended. So a run is superseded
 * from the moment when a run with a greater fence began. The run times of handlers are not compared. A process that was frozen
 * may continue its handler for a moment, and a busy machine may interrupt a handler late. But there must be no <em>proof of
 * ownership</em> after that moment; see {@link Run#lastProof}.
 */
final class Checker {
    private Checker() {}

    /**
     * Finds broken promises.
     *
     * @param history the notes of the processes
     * @param ending the final contents of the database
     * @return the broken promises; each text begins with the name of the promise
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

package io.couchjobs.interleavings;

import java.util.List;

/** What the players do: prepares the job and returns a script for each of the first players. */
@FunctionalInterface
interface Scenario {
    List<Script> prepare(List<Player> players) throws Exception;
}

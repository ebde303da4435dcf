package io.couchjobs.engine.due;

import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Strategy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

/** The rounds of a worker: one for each scheme of turns between groups. Not thread-safe. */
final class Rounds {
    private static final Strategy BY_TURNS = Strategy.fair(1, 1);
    private static final int MOST_LINES = 100;

    private final Map<Strategy, FairRound> rounds = new HashMap<>();
    private final Map<List<String>, FairRound> behindFullGroups = RecentMap.byUse(MOST_LINES);
    /** Sets where a new round begins. */
    private UnaryOperator<FairRound> beginning = round -> round;

    /** Makes FAIR go on after the last group of an earlier process of the worker. */
    void goOnAfter(String group) {
        beginning = round -> round.after(group);
    }

    /** Makes FAIR begin at a random group. */
    void beginAnywhere(Random random) {
        beginning = round -> round.anywhere(random);
    }

    FairRound of(Strategy strategy) {
        return rounds.computeIfAbsent(strategy, scheme -> beginning.apply(new FairRound(scheme)));
    }

    /**
     * Returns the round for lines whose first jobs are all in groups without room. It finds jobs of other groups in the
     * index by groups.
     */
    FairRound behindFullGroups(List<String> lines) {
        return behindFullGroups.computeIfAbsent(lines, first -> new FairRound(BY_TURNS));
    }
}

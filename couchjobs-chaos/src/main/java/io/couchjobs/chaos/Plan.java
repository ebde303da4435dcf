package io.couchjobs.chaos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The faults of a run, their targets and their times. The same seed, options and possible faults make the same plan; the outcome
 * also depends on the machine.
 */
record Plan(List<Step> steps) {
    /** How far a clock is set. */
    private static final long[] JUMPS = {7_200_000, -7_200_000, 90_000, -90_000, 1_500, -1_500};

    /** In that time the other nodes fill a wiped one again. Two copies of three that are wiped at once are lost for good. */
    private static final long REFILL_MILLIS = 60_000;

    /**
     * One fault.
     *
     * @param from when it begins, in milliseconds since the beginning
     * @param until when it is undone
     * @param fault what is done
     * @param target to which process or node, from 0 on; of connections, first those of the workers, then of the creators and readers
     * @param amount how far a clock is set, in milliseconds
     */
    record Step(long from, long until, Fault fault, int target, long amount) {
        @Override
        public String toString() {
            String more = fault == Fault.CLOCK ? " by " + amount + " ms" : "";
            return String.format("%6d to %6d ms: %s of %d%s", from, until, fault, target, more);
        }
    }

    static Plan of(long seed, Options options, int nodes, Set<Fault> possible) {
        Random random = new Random(seed);
        List<Step> steps = new ArrayList<>();
        long end = options.seconds * 1000L;
        Deck<Fault> common = Fault.deck(possible, false, random);
        for (long time = 500; time < end && !common.isEmpty(); time += random.nextInt(2 * options.pauseMillis) + 1) {
            steps.add(step(time, end, common.next(), options, nodes, random));
        }
        // One node at a time: with two away, a cluster of three does nothing at all.
        Deck<Fault> ofServers = Fault.deck(possible, true, random);
        long refilled = 0;
        for (long time = 2_000; time < end && !ofServers.isEmpty(); time += random.nextInt(5_000, 9_000)) {
            Step step = step(time, end, ofServers.next(), options, nodes, random);
            boolean isWipe = step.fault() == Fault.WIPE_SERVER;
            if (!isWipe || time >= refilled) {
                steps.add(step);
                time = step.until();
                refilled = isWipe ? time + REFILL_MILLIS : refilled;
            }
        }
        steps.sort(Comparator.comparingLong(Step::from));
        return new Plan(List.copyOf(steps));
    }

    private static Step step(long time, long end, Fault fault, Options options, int nodes, Random random) {
        long until = time + random.nextInt(fault.leastMillis(), fault.mostMillis());
        int target = random.nextInt(
                switch (fault.target()) {
                    case WORKER -> options.workers;
                    case CREATOR -> options.creators;
                    case SERVER -> nodes;
                    case CONNECTIONS -> options.workers + options.creators + options.readers;
                });
        return new Step(time, Math.min(until, end), fault, target, JUMPS[random.nextInt(JUMPS.length)]);
    }
}

package io.couchjobs.chaos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The faults of a run, with their targets and times. The same seed, options and possible faults result in the same plan, but the
 * outcome also depends on the machine.
 */
record Plan(List<Step> steps) {
    /** The steps by which a clock is set wrong, in milliseconds. */
    private static final long[] JUMPS = {7_200_000, -7_200_000, 90_000, -90_000, 1_500, -1_500};

    /** The time in which the other nodes refill a wiped node. Two copies of three wiped at once would be lost for good. */
    private static final long REFILL_MILLIS = 60_000;

    /**
     * A fault.
     *
     * @param from the begin of the fault, in milliseconds since the start
     * @param until the end of the fault, in milliseconds since the start
     * @param fault the fault
     * @param target the number of the process or node, from 0; for connections, workers come first, then creators, then readers
     * @param amount by how much a clock is set wrong, in milliseconds
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
        // One node at a time: with two nodes down, a cluster of three cannot reach a quorum.
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

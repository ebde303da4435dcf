package io.couchjobs.simulation;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Lets the answers to claims be late: so late that their own process may have forgotten them. */
final class LateClaims implements Watcher {
    private final World world;
    private final Set<String> tokens = new HashSet<>();

    LateClaims(World world) {
        this.world = world;
    }

    @Override
    public void answered(Exchange exchange, Answer answer) {
        boolean late = false;
        for (Sent sent : exchange.sent()) {
            late |= sent.what() == Sent.What.OWNED && tokens.add(sent.token()) && isLate(sent);
        }
        if (late && world.isTroubled()) {
            SimulatedProcess process = exchange.process();
            process.pause(Duration.ofSeconds(10 + process.random().nextInt(30)));
        }
    }

    /** All claims that meet, or none of them. */
    private static boolean isLate(Sent claim) {
        return Math.floorMod(claim.job().toString().hashCode() + claim.fence(), 2L) == 0;
    }
}

package io.couchjobs.simulation;

import io.couchjobs.job.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Lets things happen at the same moment that seldom do by chance: an owner stands still with the end of its run in hands until a
 * monitor gives it up, and a creator adds a job again while its end is on the way.
 */
final class Meetings implements Watcher {
    private static final Duration LONGEST = Duration.ofSeconds(25);

    private final World world;
    private final Random random;
    private final Map<JobId, List<Runnable>> onExpiry = new HashMap<>();
    private final Map<JobId, List<Runnable>> onEnd = new HashMap<>();

    Meetings(World world, long seed) {
        this.world = world;
        this.random = new Random(seed);
    }

    @Override
    public void sending(Exchange exchange) {
        for (Sent sent : exchange.sent()) {
            if (sent.what() == Sent.What.EXPIRY) {
                expiring(exchange.process(), sent.job());
            } else if (sent.what() == Sent.What.END && world.isTroubled()) {
                ending(exchange.process(), sent.job());
            }
        }
    }

    private void ending(SimulatedProcess owner, JobId id) {
        List<Runnable> waiting = onEnd.remove(id);
        if (waiting != null) {
            waiting.forEach(Runnable::run);
            pause(owner, 15_000);
        } else if (random.nextInt(3) == 0) {
            await(owner, onExpiry, id, LONGEST);
            pause(owner, 6_000);
        }
    }

    private void expiring(SimulatedProcess monitor, JobId id) {
        List<Runnable> waiting = onExpiry.remove(id);
        if (waiting != null) {
            waiting.forEach(Runnable::run);
            pause(monitor, 6_000);
        }
    }

    /** Waits until the end of a job is about to be sent; false when that took too long. */
    boolean awaitEnd(SimulatedProcess creator, JobId id) {
        return await(creator, onEnd, id, LONGEST);
    }

    private static boolean await(SimulatedProcess who, Map<JobId, List<Runnable>> where, JobId id, Duration longest) {
        return who.stage().ask(then -> {
            where.computeIfAbsent(id, any -> new ArrayList<>()).add(() -> then.accept(true));
            who.after(longest.toNanos(), () -> then.accept(false));
        });
    }

    private void pause(SimulatedProcess who, int mostMicros) {
        who.pause(Duration.ofNanos(1_000L * random.nextInt(mostMicros)));
    }
}

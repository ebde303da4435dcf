package io.couchjobs.interleavings;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.couchjobs.JobQueue;
import io.couchjobs.TestQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.LoggerFactory;

/**
 * Plays a scenario in every order in which the players' requests about the job can pass, each time with a fresh job; nothing
 * is pruned. Where there are more orders than the limit it plays a sample at random, and says so. The limit can be
 * set: {@code -Dcouchjobs.interleavings=100000}.
 */
final class Explorer implements AutoCloseable {
    private static final int LIMIT = Integer.getInteger("couchjobs.interleavings", 200);
    private static final int SAMPLES = 60;
    private static final long SEED = Long.getLong("couchjobs.seed", 20_070_101L);

    private final JobQueue direct;
    private final List<Player> players = new ArrayList<>();
    private final Player cleaner;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "player");
        thread.setDaemon(true);
        return thread;
    });
    private final Logger monitors = (Logger) LoggerFactory.getLogger("io.couchjobs.worker.ActivityMonitor");
    private int games;

    Explorer(TestDatabase database) throws InterruptedException {
        monitors.setLevel(Level.ERROR); // what they do here is no news
        direct = TestQueue.open(database);
        for (String name : List.of("anna", "ben", "cleo")) {
            players.add(new Player(name, database));
        }
        cleaner = new Player("cleaner", database);
    }

    /** Plays all orders, or a sample; fails with the history of the first that breaks a rule. */
    Report explore(String name, Scenario scenario) throws Exception {
        long begun = System.nanoTime();
        Orders orders = new Orders();
        play(name, scenario, orders);
        int played = 1;
        int most = orders.estimate() > LIMIT ? 1 : LIMIT;
        boolean more = orders.advance();
        while (more && played < most) {
            play(name, scenario, orders);
            played++;
            more = orders.advance();
        }
        Random random = new Random(SEED);
        int samples = 0;
        while (more && samples < SAMPLES) {
            play(name + " (seed " + SEED + ")", scenario, waiting -> random.nextInt(waiting.size()));
            samples++;
        }
        Report report = new Report(name, played, samples, SEED, (System.nanoTime() - begun) / 1_000_000);
        System.out.println(report);
        return report;
    }

    private void play(String name, Scenario scenario, Chooser chooser) throws Exception {
        Schedule schedule = new Schedule(direct, threads, new JobId("game-" + ++games, "1"));
        try {
            schedule.play(scenario, players, cleaner, chooser);
        } catch (AssertionError e) {
            throw new AssertionError(name + ", " + e.getMessage() + "\n" + schedule.history(), e);
        }
    }

    @Override
    public void close() {
        players.forEach(Player::close);
        cleaner.close();
        direct.close();
        threads.shutdownNow();
        monitors.setLevel(null);
    }
}

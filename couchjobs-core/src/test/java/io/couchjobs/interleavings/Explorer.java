package io.couchjobs.interleavings;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.OneCopy;
import io.couchjobs.testing.TestQueue;
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
    private static final int MOST = 14;
    private static final int MOST_ON_POUCHDB = 12;
    private static final int SAMPLES = 20;
    private static final int SAMPLES_ON_POUCHDB = 4;

    private static final long SEED = Long.getLong("couchjobs.seed", 20_070_101L);

    private final OneCopy oneCopy;
    private final JobQueue direct;
    private final List<Player> players = new ArrayList<>();
    private final Player cleaner;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "player");
        thread.setDaemon(true);
        return thread;
    });
    private final Logger monitors = (Logger) LoggerFactory.getLogger("io.couchjobs.engine.worker.ActivityMonitor");
    private final int limit;
    private final int samples;
    private int games;

    /** As many orders as there is time for on this server, or as are asked for. */
    Explorer(TestDatabase database) throws InterruptedException {
        this(
                database,
                Integer.getInteger("couchjobs.interleavings", isSlow(database) ? MOST_ON_POUCHDB : MOST),
                isSlow(database) ? SAMPLES_ON_POUCHDB : SAMPLES);
    }

    /** All orders, whatever the server: for those who know that they end soon. */
    static Explorer ofAllOrders(TestDatabase database) throws InterruptedException {
        return new Explorer(database, Integer.MAX_VALUE, 0);
    }

    private Explorer(TestDatabase own, int limit, int samples) throws InterruptedException {
        oneCopy = new OneCopy(own);
        TestDatabase database = oneCopy.database();
        this.limit = limit;
        this.samples = samples;
        monitors.setLevel(Level.ERROR); // what they do here is no news
        direct = TestQueue.open(database);
        for (String name : List.of("anna", "ben", "cleo")) {
            players.add(new Player(name, database));
        }
        cleaner = new Player("cleaner", database);
    }

    /** PouchDB Server takes ten times as long for a view. */
    private static boolean isSlow(TestDatabase database) {
        return database.serverName().contains("PouchDB");
    }

    /** Plays all orders, or a sample; fails with the history of the first that breaks a rule. */
    Report explore(String name, Scenario scenario) throws Exception {
        long begun = System.nanoTime();
        Orders orders = new Orders();
        play(name, scenario, orders);
        int played = 1;
        int most = orders.estimate() > limit ? 1 : limit;
        boolean more = orders.advance();
        while (more && played < most) {
            play(name, scenario, orders);
            played++;
            more = orders.advance();
        }
        Random random = new Random(SEED);
        int sampled = 0;
        while (more && sampled < samples) {
            play(name + " (seed " + SEED + ")", scenario, waiting -> random.nextInt(waiting.size()));
            sampled++;
        }
        Report report = new Report(name, played, sampled, SEED, (System.nanoTime() - begun) / 1_000_000);
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
        oneCopy.close();
        threads.shutdownNow();
        monitors.setLevel(null);
    }
}

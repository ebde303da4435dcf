package io.couchjobs.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Cuts nodes off at the worst moments: when claims have just met, when one is about to be withdrawn, when a monitor has just
 * made sure that a majority hears it or has read whether an owner lives, when a change was confirmed by nobody, when an owner is about to
 * be asked to stop.
 */
final class Cuts implements Watcher {
    private static final long SECOND = TimeUnit.SECONDS.toMicros(1);
    private static final long CATCHING_UP = 5 * SECOND;
    private static final int MOST = 10;
    private static final int ISOLATED = 2;

    private final World world;
    private final Random random;
    /** Jobs whose end was not confirmed when it was first written, by process. */
    private final Set<String> doubtful = new HashSet<>();

    /** When a cut of a node ended last. */
    private final Map<Integer, Long> healed = new HashMap<>();

    /** A node whose worker must not be heard before its lease is over, and until when. */
    private int parted;

    private long partedUntil;
    private int count;
    private int open;

    Cuts(World world, long seed) {
        this.world = world;
        this.random = new Random(seed);
    }

    @Override
    public void sending(Exchange exchange) {
        if (exchange.sent().stream().anyMatch(Sent::isToStop) && mayPart(2)) {
            partFromOwner(exchange);
        }
        if (exchange.does(Sent.What.WITHDRAWAL)) {
            maybe(exchange.node(), 4, 2_000);
        } else if (!exchange.isWrite() && !doubtful.isEmpty() && isOfDoubtfulEnd(exchange)) {
            maybe(exchange.node(), 2, 2_500);
        }
    }

    private static boolean isProbe(Exchange exchange) {
        return exchange.isAbout("/_local/couchjobs-probe");
    }

    /** A monitor has just made sure that a majority hears its node, whose copies may not have caught up yet. */
    private void cutAgain(int node) {
        if (isParted()) {
            return;
        }
        boolean isBehind = world.time().now() - healed.getOrDefault(node, -CATCHING_UP) < CATCHING_UP;
        if (isBehind && world.isTroubled() && random.nextBoolean()) {
            open++;
            long lasts = (long) ((10 + 15 * random.nextDouble()) * SECOND);
            world.time().after(random.nextInt(500), () -> cut(node, ISOLATED, lasts));
        }
    }

    private boolean isOfDoubtfulEnd(Exchange exchange) {
        String path = exchange.request().uri().getPath();
        return doubtful.contains(exchange.process() + " " + path.substring(path.lastIndexOf('/') + 1));
    }

    @Override
    public void answered(Exchange exchange, Answer answer) {
        if (answer.isUnconfirmed()) {
            maybe(exchange.node(), 3, 1 + random.nextInt(5_000));
        } else if (exchange.isBy("couchjobs-monitor") && isProbe(exchange)) {
            cutAgain(exchange.node());
        } else if (exchange.isBy("couchjobs-monitor") && exchange.isAbout("/worker:")) {
            maybe(exchange.node(), 2, 1_500);
        } else if (world.plan().has(Plan.Freedom.BLIND) && exchange.does(Sent.What.OWNED)) {
            maybe(exchange.node(), 8, 700);
        }
        boolean isOwner = exchange.sent().stream().anyMatch(sent -> sent.what() == Sent.What.OWNED && !sent.isToStop());
        if (isOwner && !answer.isUnconfirmed() && !answer.isConflict() && mayPart(8)) {
            part(exchange.node(), 1 + random.nextInt(300_000));
        }
        if (answer.isUnconfirmed() || answer.isConflict()) {
            exchange.sent().stream()
                    .filter(sent -> sent.what() == Sent.What.END)
                    .forEach(end ->
                            doubtful.add(exchange.process() + " " + end.job().docId()));
        }
    }

    /** The owner of a job is about to be asked to stop. */
    private void partFromOwner(Exchange request) {
        world.workers().stream()
                .filter(owner -> request.sent().stream().anyMatch(sent -> owner.holds(sent.token())))
                .map(WorkerActor::node)
                .filter(node -> node != request.node())
                .findFirst()
                .ifPresent(node -> part(node, 0));
    }

    /** Nobody hears how the workers at a node end their jobs before their leases are over. */
    private void part(int node, int soonMicros) {
        open++;
        long lasts = (long) ((14 + 8 * random.nextDouble()) * SECOND);
        parted = node;
        partedUntil = world.time().now() + soonMicros + lasts;
        world.time().after(soonMicros, () -> cut(node, ISOLATED, lasts));
    }

    private boolean mayPart(int oneIn) {
        return world.plan().has(Plan.Freedom.PARTED) && !isParted() && world.isTroubled() && random.nextInt(oneIn) == 0;
    }

    private boolean isParted() {
        return world.time().now() < partedUntil;
    }

    private void maybe(int node, int oneIn, int soonMicros) {
        if (count < MOST
                && world.isTroubled()
                && !isParted()
                && (open == 0 || random.nextInt(4) == 0)
                && random.nextInt(oneIn) == 0) {
            count++;
            open++;
            int victim = random.nextInt(3) == 0 ? random.nextInt(world.plan().nodes()) : node;
            int how = random.nextInt(4);
            double most = random.nextInt(3) == 0 ? 25 : random.nextDouble() * 12;
            long lasts = SECOND / 3 + (long) (random.nextDouble() * most * SECOND);
            world.time().after(random.nextInt(soonMicros), () -> cut(victim, how, lasts));
        }
    }

    private void cut(int node, int how, long lasts) {
        if (!world.isTroubled()) {
            return;
        }
        switch (how) {
            case 0 -> world.cluster().mute(node);
            case 1 -> world.cluster().deafen(node);
            default -> world.cluster().isolate(node);
        }
        String what = how == 0 ? "mute " : how == 1 ? "deafen " : "cut-off ";
        world.journal().note("fault", what + node + " for " + lasts / 1e6 + " s");
        world.time().after(lasts, () -> {
            open--;
            if (isParted() && node == parted) {
                return;
            }
            healed.put(node, world.time().now());
            world.cluster().heal(node);
            world.journal().note("fault", "heal " + node);
        });
    }
}

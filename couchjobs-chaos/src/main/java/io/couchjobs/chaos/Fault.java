package io.couchjobs.chaos;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The faults that a chaos run inflicts on processes, servers, and the connections between them. */
enum Fault {
    /** {@code kill -9} of a worker, which is started again a moment later. */
    KILL_WORKER(Target.WORKER, 2, 200, 1_500),
    /** A worker is stopped for longer than its lease, and goes on. */
    FREEZE_WORKER(Target.WORKER, 2, 5_000, 10_000),
    /** The clock of a worker is set, and set right again. */
    CLOCK(Target.WORKER, 1, 1_000, 5_000),
    /** {@code kill -9} of a creator, which is started again a moment later. */
    KILL_CREATOR(Target.CREATOR, 1, 200, 1_500),
    /** {@code kill -9} of a node of the server, which is started again a moment later. */
    KILL_SERVER(Target.SERVER, 1, 100, 3_000),
    /** A node of the server is stopped, and goes on. */
    FREEZE_SERVER(Target.SERVER, 1, 500, 5_000),
    /** A node of a cluster is cut off from the others. */
    CUT_SERVER(Target.SERVER, 1, 2_000, 12_000),
    /** A node of a cluster hears the others, and its messages to them are lost. */
    ONE_WAY_SERVER(Target.SERVER, 1, 2_000, 12_000),
    /** A node of a cluster is killed and starts again without its data. */
    WIPE_SERVER(Target.SERVER, 1, 1_000, 5_000),
    /** All connections of a process are reset, once. */
    RESET(Target.CONNECTIONS, 1, 0, 1),
    /** The answers to writes are lost after the server has stored them, and the connection with them. */
    LOSE_ANSWERS(Target.CONNECTIONS, 2, 500, 6_000),
    /** All that is sent to the server arrives late. */
    SLOW(Target.CONNECTIONS, 1, 500, 4_000),
    /** Connections stay open and nothing gets through; then most go on, with all that was sent meanwhile, and some are reset. */
    HALF_OPEN(Target.CONNECTIONS, 2, 5_000, 11_000),
    /** The server answers every write with a full disk. */
    DISK_FULL(Target.CONNECTIONS, 2, 500, 8_000),
    /** Feeds are cut in the middle of a row. */
    CUT_FEEDS(Target.CONNECTIONS, 1, 500, 3_000),
    /** Feeds are cut, and begin again from where they once were. */
    REWIND_FEEDS(Target.CONNECTIONS, 1, 500, 3_000);

    private final Target target;
    private final int share;
    private final int leastMillis;
    private final int mostMillis;

    /** The target of a fault. */
    enum Target {
        WORKER,
        CREATOR,
        SERVER,
        CONNECTIONS
    }

    Fault(Target target, int share, int leastMillis, int mostMillis) {
        this.target = target;
        this.share = share;
        this.leastMillis = leastMillis;
        this.mostMillis = mostMillis;
    }

    Target target() {
        return target;
    }

    /** {@return the possible faults of connections and processes, or those of servers, each as often as it is to come} */
    static Deck<Fault> deck(Collection<Fault> possible, boolean ofServers, Random random) {
        List<Fault> cards = possible.stream()
                .filter(fault -> (fault.target == Target.SERVER) == ofServers)
                .sorted()
                .flatMap(fault -> Collections.nCopies(fault.share, fault).stream())
                .toList();
        return new Deck<>(cards, random);
    }

    int leastMillis() {
        return leastMillis;
    }

    int mostMillis() {
        return mostMillis;
    }
}

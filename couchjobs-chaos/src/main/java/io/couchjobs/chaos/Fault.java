package io.couchjobs.chaos;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The faults of a chaos run, which affect processes, servers, and the connections between them. */
enum Fault {
    /** A worker is killed by {@code kill -9} and restarted a moment later. */
    KILL_WORKER(Target.WORKER, 2, 200, 1_500),
    /** A worker is suspended for longer than its lease, and then resumed. */
    FREEZE_WORKER(Target.WORKER, 2, 5_000, 10_000),
    /** The clock of a worker is set wrong for a while. */
    CLOCK(Target.WORKER, 1, 1_000, 5_000),
    /** A creator is killed by {@code kill -9} and restarted a moment later. */
    KILL_CREATOR(Target.CREATOR, 1, 200, 1_500),
    /** A node of the server is killed by {@code kill -9} and restarted a moment later. */
    KILL_SERVER(Target.SERVER, 1, 100, 3_000),
    /** A node of the server is suspended, and then resumed. */
    FREEZE_SERVER(Target.SERVER, 1, 500, 5_000),
    /** A node of a cluster is disconnected from the other nodes. */
    CUT_SERVER(Target.SERVER, 1, 2_000, 12_000),
    /** A node of a cluster receives messages from the other nodes, but its messages to them are lost. */
    ONE_WAY_SERVER(Target.SERVER, 1, 2_000, 12_000),
    /** A node of a cluster is killed and restarted without its data. */
    WIPE_SERVER(Target.SERVER, 1, 1_000, 5_000),
    /** All connections of a process are reset, once. */
    RESET(Target.CONNECTIONS, 1, 0, 1),
    /** The server stores writes, but their answers and connections are lost. */
    LOSE_ANSWERS(Target.CONNECTIONS, 2, 500, 6_000),
    /** Requests arrive late at the server. */
    SLOW(Target.CONNECTIONS, 1, 500, 4_000),
    /** Connections stay open, but no bytes get through. Later, most continue with the waiting bytes, and some are reset. */
    HALF_OPEN(Target.CONNECTIONS, 2, 5_000, 11_000),
    /** Every write is answered as if the server's disk were full. */
    DISK_FULL(Target.CONNECTIONS, 2, 500, 8_000),
    /** Feeds are cut in the middle of a row. */
    CUT_FEEDS(Target.CONNECTIONS, 1, 500, 3_000),
    /** Feeds are cut, and then restart from an earlier position. */
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

    /** {@return a deck of the possible faults of servers, or of processes and connections, each as often as its share} */
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

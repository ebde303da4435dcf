package io.couchjobs.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How a life is to be.
 *
 * @param nodes of the cluster
 * @param protocol what processes take for a confirmation
 * @param creators how many there are
 * @param habit what they do
 */
record Plan(String name, int nodes, Door.Protocol protocol, int creators, Habit habit, Set<Freedom> freedoms) {
    static final Plan DEFAULT = of("DEFAULT", 3, 2, Habit.MIXED, Freedom.FAULTS);
    static final Plan FICKLE = of("FICKLE", 3, 6, Habit.FICKLE, Freedom.FAULTS);
    /** Jobs have several leaves all the time. */
    static final Plan CROWDED = of("CROWDED", 3, 4, Habit.TOGETHER, Freedom.FAULTS);
    /** Nodes are cut off when claims have just met. */
    static final Plan CONTENDED =
            of("CONTENDED", 3, 3, Habit.ONCE, Freedom.PINNED, Freedom.CUTS, Freedom.SLOW, Freedom.EAGER);
    /** Owners stand still until a monitor gives them up, and wake in the very moment. */
    static final Plan MEETINGS = of(
            "MEETINGS", 3, 3, Habit.ONCE, Freedom.PINNED, Freedom.MEETINGS, Freedom.CUTS, Freedom.SLOW, Freedom.EAGER);
    /** As before, and claimers do not see what else there is. */
    static final Plan BLIND = of(
            "BLIND",
            3,
            3,
            Habit.ONCE,
            Freedom.PINNED,
            Freedom.MEETINGS,
            Freedom.CUTS,
            Freedom.BLIND,
            Freedom.SLOW,
            Freedom.EAGER);
    /** As {@link #MEETINGS}, and some wait at the same nodes for what becomes of jobs. */
    static final Plan WITNESSED = of(
            "WITNESSED",
            3,
            3,
            Habit.ONCE,
            Freedom.PINNED,
            Freedom.MEETINGS,
            Freedom.CUTS,
            Freedom.SLOW,
            Freedom.EAGER,
            Freedom.SUBSCRIBERS);
    /** Jobs are added again in the moment in which their run ends. */
    static final Plan READDED = of("READDED", 3, 3, Habit.ADDED_AGAIN, Freedom.MEETINGS);
    /** Retention deletes what has ended, and copies may not have heard of either. */
    static final Plan RETENTION = of(
            "RETENTION",
            3,
            3,
            Habit.ONCE,
            Freedom.MEETINGS,
            Freedom.CUTS,
            Freedom.TRICKLE,
            Freedom.RETENTION,
            Freedom.EAGER);
    /** Retention deletes what has ended, and creators add it again at about that time. */
    static final Plan RETIRED = of(
            "RETIRED",
            3,
            3,
            Habit.ADDED_LATER,
            Freedom.CUTS,
            Freedom.TRICKLE,
            Freedom.SLOW,
            Freedom.RETENTION,
            Freedom.EAGER);
    /** Answers take up to a minute, and everybody has one node only. */
    static final Plan SLOW_ANSWERS =
            of("SLOW_ANSWERS", 3, 1, Habit.ONCE, Freedom.PINNED, Freedom.VERY_SLOW, Freedom.LONG, Freedom.EAGER);
    /** Jobs are removed, and nodes cut off when nobody confirms it. */
    static final Plan REMOVED = of("REMOVED", 3, 5, Habit.REMOVED, Freedom.CUTS, Freedom.FAULTS, Freedom.TRICKLE);
    /** Everybody has one node only, and some wait for what becomes of jobs. */
    static final Plan PINNED = of(
            "PINNED",
            3,
            3,
            Habit.ONCE,
            Freedom.PINNED,
            Freedom.FAULTS,
            Freedom.CUTS,
            Freedom.LONG,
            Freedom.TRICKLE,
            Freedom.SUBSCRIBERS,
            Freedom.ACCEPTORS);
    /** Some wait for what becomes of jobs, and all nodes are well. */
    static final Plan SUBSCRIBERS =
            of("SUBSCRIBERS", 3, 3, Habit.ONCE, Freedom.PINNED, Freedom.SUBSCRIBERS, Freedom.EAGER);
    /** Five nodes, of which three have a copy of a document. */
    static final Plan FIVE_NODES =
            of("FIVE_NODES", 5, 3, Habit.ONCE, Freedom.PINNED, Freedom.FAULTS, Freedom.CUTS, Freedom.SUBSCRIBERS);

    /** Jobs wait for others, and a schedule makes some. */
    static final Plan CHAINED = of("CHAINED", 3, 3, Habit.CHAINED, Freedom.FAULTS, Freedom.SCHEDULE);
    /** The same, with answers that are slow and nodes that are cut off at the worst moments, and some wait for the ends. */
    static final Plan CHAINED_SLOWLY = of(
            "CHAINED_SLOWLY",
            3,
            3,
            Habit.CHAINED,
            Freedom.FAULTS,
            Freedom.CUTS,
            Freedom.SLOW,
            Freedom.TRICKLE,
            Freedom.SCHEDULE,
            Freedom.SUBSCRIBERS);

    /** Jobs are chunks of arrays, whose priority their creators change, and nodes are cut off at the worst moments. */
    static final Plan ARRAYS = of(
            "ARRAYS", 3, 3, Habit.ARRAYS, Freedom.PINNED, Freedom.FAULTS, Freedom.CUTS, Freedom.TRICKLE, Freedom.EAGER);

    /** Documents are saved, and several processes follow them at once. */
    static final Plan FOLLOWED = of(
            "FOLLOWED",
            3,
            1,
            Habit.ONCE,
            Freedom.FAULTS,
            Freedom.STEADY,
            Freedom.CUTS,
            Freedom.TRICKLE,
            Freedom.TRIGGER);

    /** As before, and followers store their positions before they make the jobs. */
    static final Plan CARELESS = of(
            "CARELESS",
            3,
            1,
            Habit.ONCE,
            Freedom.FAULTS,
            Freedom.STEADY,
            Freedom.CUTS,
            Freedom.TRIGGER,
            Freedom.CARELESS);

    /** Jobs are cancelled while they run, or fail when few leases have run out; and some wait for what becomes of them. */
    static final Plan CANCELLED = of(
            "CANCELLED",
            3,
            2,
            Habit.CANCELLED,
            Freedom.PINNED,
            Freedom.FAULTS,
            Freedom.CUTS,
            Freedom.PARTED,
            Freedom.TRICKLE,
            Freedom.SUBSCRIBERS,
            Freedom.ACCEPTORS,
            Freedom.FRAGILE);
    /** The same; owners stand still until a monitor gives them up, and wake in the very moment. */
    static final Plan ABANDONED = of(
            "ABANDONED",
            3,
            2,
            Habit.CANCELLED,
            Freedom.FAULTS,
            Freedom.MEETINGS,
            Freedom.CUTS,
            Freedom.PARTED,
            Freedom.SLOW,
            Freedom.SUBSCRIBERS,
            Freedom.FRAGILE);

    /** Nothing happens by itself. */
    static final Plan PLAYED = of("PLAYED", 3, 0, Habit.ONCE, Freedom.PINNED);
    /** Nothing happens by itself; leases, and the patience of clients, last a minute. */
    static final Plan PLAYED_SLOWLY = of("PLAYED_SLOWLY", 3, 0, Habit.ONCE, Freedom.PINNED, Freedom.VERY_SLOW);
    /** Nothing happens by itself, and what copies tell each other comes document by document. */
    static final Plan PLAYED_LAGGING = of("PLAYED_LAGGING", 3, 0, Habit.ONCE, Freedom.PINNED, Freedom.TRICKLE);

    static final List<Plan> OLD = List.of(DEFAULT, CROWDED, FICKLE);
    static final List<Plan> NEW = List.of(
            CONTENDED,
            MEETINGS,
            BLIND,
            WITNESSED,
            READDED,
            RETENTION,
            RETIRED,
            SLOW_ANSWERS,
            REMOVED,
            PINNED,
            SUBSCRIBERS,
            FIVE_NODES,
            CHAINED,
            CHAINED_SLOWLY,
            ARRAYS,
            FOLLOWED,
            CANCELLED,
            ABANDONED);

    /** What may happen, beside what always does. */
    enum Freedom {
        /** Nodes and workers die, freeze and are cut off at any time. */
        FAULTS,
        /** Nodes are cut off at the worst moments. */
        CUTS,
        /** Owners are cut off before they end their jobs, for longer than their leases. */
        PARTED,
        /** Nodes are cut off between a claim and the reading that tells whether it is alone. */
        BLIND,
        /** Ends meet expiries, and additions ends. */
        MEETINGS,
        /** Each process knows one node, whatever becomes of that. */
        PINNED,
        /** What copies tell each other afterwards comes document by document. */
        TRICKLE,
        /** Some requests and answers are on their way for up to three seconds. */
        SLOW,
        /** Some requests and answers are on their way for up to forty seconds; leases are as long. */
        VERY_SLOW,
        /** Whatever has ended is deleted soon. */
        RETENTION,
        /** Others follow jobs until they end. */
        SUBSCRIBERS,
        /** Some programs only claim and run jobs, without a registration and a monitor. */
        ACCEPTORS,
        /** Some runs, and faults, take as long as several leases. */
        LONG,
        /** Few leases of a job may run out, and some runs fail for good. */
        FRAGILE,
        /** Workers go for a new job at once, all of them. */
        EAGER,
        /** A schedule makes jobs; all workers look after it. */
        SCHEDULE,
        /** Feeds do not begin anew by chance: nothing that was missed is seen a second time. */
        STEADY,
        /** A trigger makes jobs of documents; several processes follow at the same time. */
        TRIGGER,
        /** Followers store their positions before they make the jobs: what must not be. */
        CARELESS
    }

    /** What creators do. */
    enum Habit {
        /** Whatever people and programs do. */
        MIXED,
        /** All add the same job at the same moment, again and again, and some change it then; or insert it, some of them late. */
        TOGETHER,
        /** Each adds jobs of its own, and soon wants them otherwise. */
        FICKLE,
        /** Each adds jobs of its own, and wants nothing more. */
        ONCE,
        /** Each adds jobs of its own, and once more when they end. */
        ADDED_AGAIN,
        /** Each adds jobs of its own, and once more when they have ended some time ago. */
        ADDED_LATER,
        /** Each adds jobs of its own, and removes most of them. */
        REMOVED,
        /** Each adds jobs of its own, and cancels most of them, also while they run. */
        CANCELLED,
        /** Each adds jobs of its own, and for each another one that comes after it. */
        CHAINED,
        /** Each adds arrays of its own. */
        ARRAYS
    }

    private static Plan of(String name, int nodes, int creators, Habit habit, Freedom first, Freedom... others) {
        return new Plan(name, nodes, Door.Protocol.ONLY_201, creators, habit, EnumSet.of(first, others));
    }

    /** With {@code /5} at its end, on five nodes. */
    static Plan named(String wanted) {
        int slash = wanted.indexOf('/');
        String name = slash < 0 ? wanted : wanted.substring(0, slash);
        Plan known = java.util.stream.Stream.concat(OLD.stream(), NEW.stream())
                .filter(plan -> plan.name.equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no plan " + name));
        return slash < 0 ? known : known.on(Integer.parseInt(wanted.substring(slash + 1)));
    }

    Plan on(int others) {
        return new Plan(name, others, protocol, creators, habit, freedoms);
    }

    Plan by(Door.Protocol other) {
        return new Plan(name, nodes, other, creators, habit, freedoms);
    }

    /** {@return how many nodes have a copy of each document; they are the first} */
    int copies() {
        return Math.min(nodes, 3);
    }

    boolean has(Freedom freedom) {
        return freedoms.contains(freedom);
    }

    /** How long nobody may be silent who owns a job. */
    Duration timeout() {
        return Duration.ofSeconds(has(Freedom.VERY_SLOW) ? 60 : 6);
    }

    /** How long a client waits for an answer. */
    Duration patience() {
        return Duration.ofSeconds(has(Freedom.VERY_SLOW) ? 60 : 5);
    }

    /** How long things go wrong. */
    Duration trouble() {
        return Duration.ofSeconds(has(Freedom.VERY_SLOW) ? 90 : has(Freedom.LONG) ? 60 : 40);
    }

    @Override
    public String toString() {
        return nodes == 3 ? name : name + "/" + nodes;
    }
}

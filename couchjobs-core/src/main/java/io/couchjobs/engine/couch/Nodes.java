package io.couchjobs.engine.couch;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of a cluster, and the choice between them. Thread-safe.
 *
 * <p>A client uses one node at a time: its home node, which it chooses at random when it is created, so that clients spread
 * over the nodes. When the home node fails, the client immediately switches to another node at random. A failed node is not
 * used for a while. Then a probe in the background checks whether the node is back; until then no request waits for it. A
 * client returns only to its home node, so a recovered node gets back only its former clients, each at a different time.
 *
 * <p>If no node is well, the one that has rested longest is used. A single server is always used.
 */
final class Nodes {

    private static final Logger log = LoggerFactory.getLogger(Nodes.class);

    private final List<Node> all;
    private final ClientParts parts;
    private final Map<Node, Health> healths = new HashMap<>();
    private final Node home;
    private Node current;
    private long switches;

    Nodes(List<Node> all, ClientParts parts) {
        this.all = List.copyOf(all);
        this.parts = parts;
        all.forEach(node -> healths.put(node, new Health()));
        this.home = all.get(parts.environment().random().nextInt(all.size()));
        this.current = home;
    }

    boolean areSeveral() {
        return all.size() > 1;
    }

    /**
     * Returns the node for the next request.
     *
     * @param tried nodes that have just failed for the same request; any other node is preferred
     */
    synchronized Node pick(Collection<Node> tried) {
        if (areSeveral()) {
            probeWhoHasRested();
            if (!health(current).isWell() || tried.contains(current)) {
                goTo(another(tried));
            }
        }
        return current;
    }

    /** Records that a node did not answer, or reported that it cannot answer. */
    synchronized void failed(Node node, String why) {
        if (!areSeveral()) {
            return;
        }
        boolean wasWell = health(node).isWell();
        health(node).failed(now(), parts.environment().random());
        if (node == current) {
            goTo(another(List.of(node)));
        }
        if (wasWell) {
            log.warn("{} failed ({}) and is tried again later; {} is asked instead", node, why, current);
        } else {
            log.debug("{} failed again ({}); it is left alone for longer", node, why);
        }
    }

    /** Records that a node answered. */
    synchronized void answered(Node node) {
        Health health = health(node);
        if (!health.isWell()) {
            health.recovered();
            log.info("{} answers again", node);
            goTo(node == home ? home : current);
        }
    }

    /** Returns how often the client switched nodes. While the number stays the same, all requests go to one node. */
    synchronized long switches() {
        return switches;
    }

    /** Returns the clock of the present node, or of another node if the present one has not sent a date yet. */
    synchronized ClockSkew clockSkew() {
        Predicate<ClockSkew> isKnown = ClockSkew::isKnown;
        return isKnown.test(current.clockSkew())
                ? current.clockSkew()
                : all.stream().map(Node::clockSkew).filter(isKnown).findFirst().orElse(current.clockSkew());
    }

    private void goTo(Node next) {
        if (next != current) {
            switches++;
            current = next;
        }
    }

    private Node another(Collection<Node> tried) {
        List<Node> untried = all.stream().filter(node -> !tried.contains(node)).toList();
        List<Node> well = untried.stream().filter(node -> health(node).isWell()).toList();
        if (!well.isEmpty()) {
            return well.get(parts.environment().random().nextInt(well.size()));
        }
        long now = now();
        return (untried.isEmpty() ? all : untried)
                .stream()
                        .min(Comparator.comparingLong(node -> health(node).restLeft(now)))
                        .orElse(current);
    }

    private void probeWhoHasRested() {
        long now = now();
        List<Node> rested =
                all.stream().filter(node -> health(node).mayProbe(now)).toList();
        rested.forEach(node -> parts.background().execute(() -> probe(node)));
    }

    private void probe(Node node) {
        boolean up = false;
        try {
            up = node.isUp();
        } finally {
            probed(node, up);
        }
    }

    private synchronized void probed(Node node, boolean up) {
        health(node).probeEnded();
        if (up) {
            answered(node);
        } else {
            failed(node, "a probe");
        }
    }

    private Health health(Node node) {
        return Objects.requireNonNull(healths.get(node));
    }

    private long now() {
        return parts.environment().nanos();
    }
}

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
 * <p>A client asks one node at a time: its home, which it chose at random when it was made, so that clients spread.
 * When the home fails, the client switches at once to another node at random. A failed node rests, and then one request
 * in the background finds out whether it is back; until then no request waits for it. A client returns to its home and
 * to no other, so a node that comes back gets only its former clients, each at a time of its own.
 *
 * <p>While no node is well, the one that has rested longest is asked; a single server is always asked.
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
     * The node to ask now.
     *
     * @param tried nodes that have just failed for the same request: any other is better, if there is one
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

    /** The node did not answer, or reported that it cannot. */
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

    /** It answered. */
    synchronized void answered(Node node) {
        Health health = health(node);
        if (!health.isWell()) {
            health.recovered();
            log.info("{} answers again", node);
            goTo(node == home ? home : current);
        }
    }

    /** How often the client switched nodes: while this stays the same, all requests go to one node. */
    synchronized long switches() {
        return switches;
    }

    /** The clock of the present node; until it has told its time, that of another. */
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

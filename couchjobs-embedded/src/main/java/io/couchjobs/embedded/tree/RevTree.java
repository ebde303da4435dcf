package io.couchjobs.embedded.tree;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All known revisions of a document. The winner is the same on every server that has the same leaves: a live leaf wins over a
 * deleted one, then the higher generation, then the greater hash. Immutable.
 */
public final class RevTree {
    private static final Comparator<Node> WINNING =
            Comparator.comparing(Node::deleted).thenComparing(Node::rev, Comparator.reverseOrder());
    private static final RevTree EMPTY = new RevTree(new LinkedHashMap<>());

    private final Map<Revision, Node> nodes;
    private final List<Node> leaves;

    private RevTree(Map<Revision, Node> nodes) {
        this(nodes, findLeaves(nodes));
    }

    private RevTree(Map<Revision, Node> nodes, List<Node> leaves) {
        this.nodes = nodes;
        this.leaves = leaves;
    }

    public static RevTree empty() {
        return EMPTY;
    }

    public static RevTree of(Collection<Node> nodes) {
        Map<Revision, Node> map = new LinkedHashMap<>();
        nodes.forEach(node -> map.put(node.rev(), node));
        return new RevTree(map);
    }

    private static List<Node> findLeaves(Map<Revision, Node> nodes) {
        Map<Revision, Node> leaves = new LinkedHashMap<>(nodes);
        nodes.values().forEach(node -> leaves.remove(node.parent()));
        return sorted(new ArrayList<>(leaves.values()));
    }

    private static List<Node> sorted(List<Node> leaves) {
        leaves.sort(WINNING);
        return List.copyOf(leaves);
    }

    public boolean isEmpty() {
        return nodes.isEmpty();
    }

    public Collection<Node> nodes() {
        return nodes.values();
    }

    /** {@return the leaves, the winner first} */
    public List<Node> leaves() {
        return leaves;
    }

    /** {@return the winner, which readers see; the tree must not be empty} */
    public Node winner() {
        return leaves.get(0);
    }

    public List<Revision> conflicts() {
        return otherLeaves(false);
    }

    public List<Revision> deletedConflicts() {
        return otherLeaves(true);
    }

    private List<Revision> otherLeaves(boolean deleted) {
        return leaves.stream()
                .skip(1)
                .filter(leaf -> leaf.deleted() == deleted)
                .map(Node::rev)
                .toList();
    }

    public Optional<Node> find(Revision rev) {
        return Optional.ofNullable(nodes.get(rev));
    }

    public Optional<Node> leaf(Revision rev) {
        for (Node leaf : leaves) {
            if (leaf.rev().equals(rev)) {
                return Optional.of(leaf);
            }
        }
        return Optional.empty();
    }

    /** {@return the leaves that descend from a revision, or the revision itself if it is a leaf} */
    public List<Node> leavesFrom(Revision rev) {
        return leaves.stream().filter(leaf -> path(leaf.rev()).contains(rev)).toList();
    }

    /** {@return a revision and its known ancestors, newest first; empty for an unknown revision} */
    public List<Revision> path(Revision rev) {
        List<Revision> path = new ArrayList<>();
        Node node = nodes.get(rev);
        while (node != null) {
            path.add(node.rev());
            node = node.parent() == null ? null : nodes.get(node.parent());
        }
        return path;
    }

    public RevTree with(Node node) {
        Map<Revision, Node> copy = new LinkedHashMap<>(nodes);
        boolean isNew = copy.put(node.rev(), node) == null;
        return isNew ? new RevTree(copy, leavesWith(node)) : new RevTree(copy);
    }

    private List<Node> leavesWith(Node node) {
        List<Node> grown = new ArrayList<>(leaves);
        grown.removeIf(leaf -> leaf.rev().equals(node.parent()));
        grown.add(node);
        return sorted(grown);
    }

    /**
     * Returns a tree that also contains a branch from another server. Known revisions do not change, so merging is idempotent and
     * the order of merges does not matter.
     *
     * @param path the new leaf and its ancestors, newest first, without gaps
     */
    public RevTree merge(List<Revision> path, boolean deleted, long body) {
        boolean isNextOfKnown = path.size() > 1
                && !nodes.containsKey(path.get(0))
                && path(path.get(1)).size() >= path.size() - 1;
        if (isNextOfKnown) {
            return with(new Node(path.get(0), path.get(1), deleted, body));
        }
        Map<Revision, Node> copy = new LinkedHashMap<>(nodes);
        Revision parent = null;
        for (int i = path.size() - 1; i >= 0; i--) {
            Revision rev = path.get(i);
            graft(copy, i == 0 ? new Node(rev, parent, deleted, body) : new Node(rev, parent, false, Node.NO_BODY));
            parent = rev;
        }
        return new RevTree(copy);
    }

    private static void graft(Map<Revision, Node> nodes, Node node) {
        Node known = nodes.putIfAbsent(node.rev(), node);
        if (known != null && known.parent() == null && node.parent() != null) {
            nodes.put(known.rev(), known.under(node.parent()));
        }
    }

    /** Returns a tree that keeps each leaf and its ancestors, at most {@code limit} revisions per leaf. */
    public RevTree stem(int limit) {
        if (nodes.size() <= limit) {
            return this;
        }
        Set<Revision> kept = new LinkedHashSet<>();
        leaves.forEach(leaf -> path(leaf.rev()).stream().limit(limit).forEach(kept::add));
        return kept.size() == nodes.size() ? this : keep(kept);
    }

    /** Returns a tree without a leaf and without its ancestors that no other leaf shares. */
    public RevTree without(Revision leaf) {
        Set<Revision> kept = leaves.stream()
                .filter(other -> !other.rev().equals(leaf))
                .flatMap(other -> path(other.rev()).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        return keep(kept);
    }

    private RevTree keep(Set<Revision> kept) {
        Map<Revision, Node> copy = new LinkedHashMap<>();
        nodes.values().stream()
                .filter(node -> kept.contains(node.rev()))
                .forEach(node -> copy.put(node.rev(), kept.contains(node.parent()) ? node : node.under(null)));
        return new RevTree(copy);
    }

    /** Returns a tree in which only leaves refer to stored contents, as after a compaction. */
    public RevTree compacted() {
        Map<Revision, Node> copy = new LinkedHashMap<>();
        nodes.values().forEach(node -> copy.put(node.rev(), node.withoutBody()));
        leaves.forEach(leaf -> copy.put(leaf.rev(), leaf));
        return new RevTree(copy);
    }

    /** {@return the leaves of a lower generation than an unknown revision; a replicator may send a branch on top of them} */
    public List<Revision> possibleAncestors(int pos) {
        return leaves.stream().map(Node::rev).filter(rev -> rev.pos() < pos).toList();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RevTree tree && nodes.equals(tree.nodes);
    }

    @Override
    public int hashCode() {
        return nodes.hashCode();
    }
}

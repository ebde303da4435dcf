package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.embedded.store.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Nodes that keep copies of databases, and their failures. Everything happens on the thread that runs the agenda. Not
 * thread-safe.
 */
public final class Cluster implements AutoCloseable {
    /** The database that is there from the beginning. */
    public static final String DATABASE = "jobs";

    private final Delays delays;
    private final Settings settings;
    private final List<Member> members;
    private final List<CouchStore> stores;
    private final Network network;
    private final Map<String, Shards> databases = new LinkedHashMap<>();
    private final Map<String, List<InternalReplication>> replications = new LinkedHashMap<>();

    /**
     * How a cluster is made.
     *
     * @param nodes at least 1
     * @param copies how many nodes have a copy of a range, the first range's are the first nodes; at least 1
     * @param ranges parts of the database that are stored, listed and replicated apart; at least 1
     * @param tick after which a silent connection between nodes is given up
     * @param timeout after which a coordinator answers with what it has
     */
    public record Settings(int nodes, int copies, int ranges, Duration tick, Duration timeout) {
        /** Three nodes and one range; silence and requests last at most 60 s. */
        public static final Settings DEFAULTS = new Settings(3, 1, Duration.ofSeconds(60), Duration.ofSeconds(60));

        /** Each node has a copy of everything. */
        public Settings(int nodes, int ranges, Duration tick, Duration timeout) {
            this(nodes, nodes, ranges, tick, timeout);
        }

        private boolean isOn(int range, int node) {
            return Math.floorMod(node - range, nodes) < copies;
        }
    }

    public Cluster(Agenda agenda, Delays delays, Settings settings) {
        this.delays = delays;
        this.settings = settings;
        this.members = IntStream.range(0, settings.nodes())
                .mapToObj(number -> new Member(number, agenda))
                .toList();
        this.stores = members.stream().map(member -> CouchStore.open(null)).toList();
        this.network = new Network(agenda, delays, members, micros(settings.tick()));
        network.onRestored(link -> replications.values().stream()
                .flatMap(List::stream)
                .filter(one -> one.joins(link))
                .forEach(InternalReplication::met));
        create(DATABASE);
    }

    private static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }

    /** Makes a database, on all nodes at once, whatever their state. */
    public void create(String name) {
        if (databases.containsKey(name)) {
            throw CouchError.exists();
        }
        Shards shards = Shards.of(network, new Ranges(settings.ranges()), copies(name), micros(settings.timeout()));
        databases.put(name, shards);
        replications.put(
                name,
                shards.all().stream()
                        .flatMap(source -> replications(shards, source))
                        .toList());
    }

    /** Deletes a database, on all nodes at once, whatever their state. Its feeds end, as they do on a real cluster. */
    public void delete(String name) {
        Shards shards = find(name);
        databases.remove(name);
        replications.remove(name);
        shards.all().forEach(copy -> {
            stores.get(copy.member().number()).delete(copy.database().name());
            copy.deleted();
        });
    }

    private Shards find(String name) {
        return Optional.ofNullable(databases.get(name)).orElseThrow(CouchError::noDatabase);
    }

    private List<Copy> copies(String name) {
        Instant now = Instant.now();
        List<Copy> copies = new ArrayList<>();
        for (Member member : members) {
            CouchStore store = stores.get(member.number());
            for (int range = 0; range < settings.ranges(); range++) {
                if (settings.isOn(range, member.number())) {
                    String file = settings.ranges() == 1 ? name : "shards/" + range + "/" + name;
                    store.create(file, now);
                    copies.add(new Copy(member, range, store.get(file)));
                }
            }
        }
        return List.copyOf(copies);
    }

    private Stream<InternalReplication> replications(Shards shards, Copy source) {
        List<InternalReplication> own = shards.ofRange(source.range()).stream()
                .filter(target -> target != source)
                .map(target -> new InternalReplication(shards, delays, source, target))
                .toList();
        source.onChange(() -> own.forEach(InternalReplication::changed));
        return own.stream();
    }

    /** {@return the names of all nodes, whatever their state, by number} */
    public List<String> names() {
        return members.stream().map(Member::name).toList();
    }

    /** {@return what a node has on its disk: with one range per database, its copies under their databases' names} */
    public CouchStore store(int node) {
        return stores.get(node);
    }

    /** {@return the copy of a database of one range that a node has, or, where it has none, that of the first node} */
    Database copyFor(int node, String database) {
        return stores.get(node).find(database).orElseGet(() -> stores.get(0).get(database));
    }

    List<Database> copiesFor(int node, String database) {
        return find(database).reachable(members.get(node), 0).stream()
                .filter(copy -> copy.member().isRunning())
                .map(Copy::database)
                .toList();
    }

    /** {@return the node with a number, from 0 on, as clients of the first database see it} */
    public Coordinator node(int number) {
        return node(number, DATABASE);
    }

    /** {@return a node without a database, to see whether it is alive} */
    Coordinator bare(int number) {
        Shards none = Shards.of(network, new Ranges(settings.ranges()), List.of(), 0);
        return new Coordinator(none, members.get(number));
    }

    /** {@return a node as clients of a database see it} */
    public Coordinator node(int number, String database) {
        return new Coordinator(find(database), members.get(number));
    }

    /** Kills a node: callers that wait for it get no answer; its stored data is kept. */
    public void stop(int node) {
        members.get(node).stop();
        network.review(members.get(node));
    }

    /** Starts a killed node again; the others send it what it missed. */
    public void start(int node) {
        members.get(node).start();
        network.review(members.get(node));
    }

    /** Lets a node do nothing until it is thawed; then it does what came in meanwhile. */
    public void freeze(int node) {
        members.get(node).freeze();
        network.review(members.get(node));
    }

    /** Ends a {@link #freeze}. */
    public void thaw(int node) {
        members.get(node).thaw();
        network.review(members.get(node));
    }

    /** Cuts a node off from all others, not from its clients. */
    public void isolate(int node) {
        cutAll(node, true);
    }

    /** Keeps what a node sends from all others; it hears them. */
    public void mute(int node) {
        Member one = members.get(node);
        members.stream().filter(other -> other != one).forEach(other -> network.cutFrom(one, other, true));
    }

    /** Keeps what a node sends from one other; it hears that one. */
    public void mute(int node, int towards) {
        network.cutFrom(members.get(node), members.get(towards), true);
    }

    /** Keeps from a node what all others send; they hear it. */
    public void deafen(int node) {
        Member one = members.get(node);
        members.stream().filter(other -> other != one).forEach(other -> network.cutFrom(other, one, true));
    }

    /** Ends an {@link #isolate}, a {@link #mute} or a {@link #deafen}. */
    public void heal(int node) {
        cutAll(node, false);
    }

    /** Ends this between two nodes only. */
    public void heal(int node, int other) {
        network.cut(members.get(node), members.get(other), false);
    }

    private void cutAll(int node, boolean cut) {
        Member one = members.get(node);
        members.stream().filter(other -> other != one).forEach(other -> network.cut(one, other, cut));
    }

    @Override
    public void close() {
        stores.forEach(CouchStore::close);
    }
}

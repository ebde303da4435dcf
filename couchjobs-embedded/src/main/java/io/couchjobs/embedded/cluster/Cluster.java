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
 * The nodes of a simulated cluster, their copies of databases, and their failures. Runs entirely on the agenda's thread. Not
 * thread-safe.
 */
public final class Cluster implements AutoCloseable {
    /** The database that exists from the start. */
    public static final String DATABASE = "jobs";

    private final Delays delays;
    private final Settings settings;
    private final List<Member> members;
    private final List<CouchStore> stores;
    private final Network network;
    private final Map<String, Shards> databases = new LinkedHashMap<>();
    private final Map<String, List<InternalReplication>> replications = new LinkedHashMap<>();

    /**
     * The settings of a cluster.
     *
     * @param nodes the number of nodes, at least 1
     * @param copies the number of copies of each range, at least 1; the first nodes have those of the first range
     * @param ranges the number of ranges of a database, at least 1; each is stored, listed and replicated separately
     * @param tick the time after which nodes give up a silent connection
     * @param timeout the time after which a coordinator answers with the replies that it has
     */
    public record Settings(int nodes, int copies, int ranges, Duration tick, Duration timeout) {
        /** Three nodes and one range; tick and timeout are 60 s. */
        public static final Settings DEFAULTS = new Settings(3, 1, Duration.ofSeconds(60), Duration.ofSeconds(60));

        /** Creates settings in which each node has a copy of every range. */
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

    /** Creates a database on all nodes at once, regardless of their state. */
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

    /** Deletes a database on all nodes at once, regardless of their state. Its feeds end, as on a real cluster. */
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

    /** {@return the names of all nodes, by number, regardless of their state} */
    public List<String> names() {
        return members.stream().map(Member::name).toList();
    }

    /** {@return the store of a node; with one range per database, its copies have their databases' names} */
    public CouchStore store(int node) {
        return stores.get(node);
    }

    /** {@return a node's copy of a database with one range, or the copy of the first node if it has none} */
    Database copyFor(int node, String database) {
        return stores.get(node).find(database).orElseGet(() -> stores.get(0).get(database));
    }

    List<Database> copiesFor(int node, String database) {
        return find(database).reachable(members.get(node), 0).stream()
                .filter(copy -> copy.member().isRunning())
                .map(Copy::database)
                .toList();
    }

    /** {@return the coordinator of a node, from 0, for the first database} */
    public Coordinator node(int number) {
        return node(number, DATABASE);
    }

    /** {@return the coordinator of a node without a database, to check whether the node is alive} */
    Coordinator bare(int number) {
        Shards none = Shards.of(network, new Ranges(settings.ranges()), List.of(), 0);
        return new Coordinator(none, members.get(number));
    }

    /** {@return the coordinator of a node for a database} */
    public Coordinator node(int number, String database) {
        return new Coordinator(find(database), members.get(number));
    }

    /** Kills a node. Waiting callers get no answer; the stored data is kept. */
    public void stop(int node) {
        members.get(node).stop();
        network.review(members.get(node));
    }

    /** Restarts a killed node. The other nodes send it the writes that it missed. */
    public void start(int node) {
        members.get(node).start();
        network.review(members.get(node));
    }

    /** Suspends a node until {@link #thaw}. The node then processes the messages that arrived meanwhile. */
    public void freeze(int node) {
        members.get(node).freeze();
        network.review(members.get(node));
    }

    /** Ends a {@link #freeze}. */
    public void thaw(int node) {
        members.get(node).thaw();
        network.review(members.get(node));
    }

    /** Disconnects a node from all other nodes, but not from its clients. */
    public void isolate(int node) {
        cutAll(node, true);
    }

    /** Blocks the messages from a node to all other nodes. It still receives theirs. */
    public void mute(int node) {
        Member one = members.get(node);
        members.stream().filter(other -> other != one).forEach(other -> network.cutFrom(one, other, true));
    }

    /** Blocks the messages from a node to one other node, but not the messages in the other direction. */
    public void mute(int node, int towards) {
        network.cutFrom(members.get(node), members.get(towards), true);
    }

    /** Blocks the messages from all other nodes to a node. They still receive its messages. */
    public void deafen(int node) {
        Member one = members.get(node);
        members.stream().filter(other -> other != one).forEach(other -> network.cutFrom(other, one, true));
    }

    /** Ends an {@link #isolate}, a {@link #mute} or a {@link #deafen}. */
    public void heal(int node) {
        cutAll(node, false);
    }

    /** Ends these faults between two nodes only. */
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

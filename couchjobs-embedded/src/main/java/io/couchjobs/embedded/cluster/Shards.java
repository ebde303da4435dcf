package io.couchjobs.embedded.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The copies of one database, and the network that connects them.
 *
 * @param byRange the copies of each range
 * @param timeout microseconds after which a coordinator answers with the replies that it has
 */
record Shards(Network network, Ranges ranges, List<Copy> all, List<List<Copy>> byRange, long timeout) {
    static Shards of(Network network, Ranges ranges, List<Copy> all, long timeout) {
        List<List<Copy>> byRange = IntStream.range(0, ranges.count())
                .mapToObj(range ->
                        all.stream().filter(copy -> copy.range() == range).toList())
                .toList();
        return new Shards(network, ranges, all, byRange, timeout);
    }

    /** {@return the copies of a document, by node} */
    List<Copy> of(String id) {
        return ofRange(ranges.of(id));
    }

    List<Copy> ofRange(int range) {
        return byRange.get(range);
    }

    /** {@return the position after all changes in the copies that a node reads; it prefers its own copies} */
    PackedSeq newest(Member member) {
        PackedSeq newest = PackedSeq.START;
        for (int range = 0; range < ranges.count(); range++) {
            for (Copy copy : reachable(member, range).stream().limit(1).toList()) {
                PackedSeq.Place place = new PackedSeq.Place(
                        copy.member().number(), copy.database().updateSeq());
                newest = newest.with(range, place);
            }
        }
        return newest;
    }

    /** {@return the number of copies that form a majority} */
    int majority() {
        return ofRange(0).size() / 2 + 1;
    }

    <T> void ask(Member at, Copy copy, boolean writes, Supplier<T> work, Consumer<T> reply, Runnable lost) {
        network.ask(new Ask<>(at, copy.member(), work, writes, reply, lost));
    }

    /** {@return the other copies of a copy's range whose nodes are connected with the copy's node} */
    List<Copy> peers(Copy copy) {
        return ofRange(copy.range()).stream()
                .filter(other -> other != copy && network.isConnected(copy.member(), other.member()))
                .toList();
    }

    /** {@return the copies of a range that a node can reach, its own copy first} */
    List<Copy> reachable(Member at, int range) {
        List<Copy> reachable = new ArrayList<>();
        for (Copy copy : ofRange(range)) {
            if (copy.member() == at) {
                reachable.add(0, copy);
            } else if (network.isConnected(at, copy.member())) {
                reachable.add(copy);
            }
        }
        return reachable;
    }

    /** Sends a message to a node. The message is lost when the node is out of reach. */
    void tell(Member from, Member to, Runnable news) {
        network.tell(from, to, news);
    }
}

package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A position in the feed of a cluster: for each range, the copy that was read and the sequence number that was reached. Copies
 * number the same changes differently. Another copy can use the position only because it remembers which changes it sent to that
 * copy.
 *
 * @param places the places, by range
 */
record PackedSeq(Map<Integer, Place> places) {
    static final PackedSeq START = new PackedSeq(Map.of());

    /** The sequence number up to which a node's copy was read. */
    record Place(int node, long seq) {}

    PackedSeq {
        places = Map.copyOf(places);
    }

    PackedSeq with(int range, Place place) {
        Map<Integer, Place> moved = new TreeMap<>(places);
        moved.put(range, place);
        return new PackedSeq(moved);
    }

    Optional<Place> place(int range) {
        return Optional.ofNullable(places.get(range));
    }

    /** {@return the position as clients see it: the sum of the sequence numbers, and an opaque part} */
    String text() {
        List<List<Long>> entries = new ArrayList<>();
        new TreeMap<>(places)
                .forEach((range, place) -> entries.add(List.of((long) range, (long) place.node(), place.seq())));
        byte[] bytes = entries.toString().getBytes(StandardCharsets.UTF_8);
        long sum = places.values().stream().mapToLong(Place::seq).sum();
        return sum + "-" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Parses the result of {@link #text()}, or {@code 0}. The leading number is ignored. */
    static PackedSeq parse(String text) {
        if (text.equals("0") || text.isEmpty()) {
            return START;
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text.substring(text.indexOf('-') + 1));
            PackedSeq seq = START;
            for (var entry : Json.parse(bytes)) {
                Place place = new Place(entry.path(1).asInt(), entry.path(2).asLong());
                seq = seq.with(entry.path(0).asInt(), place);
            }
            return seq;
        } catch (IllegalArgumentException e) {
            throw CouchError.badRequest("Malformed sequence supplied in 'since' parameter.");
        }
    }
}

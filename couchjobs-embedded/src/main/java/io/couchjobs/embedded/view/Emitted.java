package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.protocol.Json;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The rows of a document in all views of a group. */
record Emitted(String id, List<Entry> entries) {
    @SuppressWarnings("ArrayRecordComponent") // never compared as a value
    record Entry(int view, byte[] place, IndexRow row) {}

    static Emitted nothing(String id) {
        return new Emitted(id, List.of());
    }

    static Emitted of(String id, JsonNode perView) {
        List<Entry> entries = new ArrayList<>();
        for (int view = 0; view < perView.size(); view++) {
            int n = 0;
            for (JsonNode pair : inOrder(perView.get(view))) {
                byte[] place = IndexRow.place(Collation.key(pair.get(0)), id, n++);
                entries.add(new Entry(view, place, new IndexRow(id, Json.bytes(pair.get(0)), Json.bytes(pair.get(1)))));
            }
        }
        return new Emitted(id, entries);
    }

    /** Sorts the pairs of a document by key, then by value. */
    private static List<JsonNode> inOrder(JsonNode pairs) {
        List<JsonNode> list = new ArrayList<>();
        pairs.forEach(list::add);
        if (list.size() > 1) {
            list.sort((left, right) -> Arrays.compareUnsigned(Collation.key(left), Collation.key(right)));
        }
        return list;
    }

    /** {@return the encoded positions of the rows; stored under the document's id, so that the rows can be removed later} */
    byte[] places() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Entry entry : entries) {
            out.writeBytes(ByteBuffer.allocate(2 * Integer.BYTES)
                    .putInt(entry.view())
                    .putInt(entry.place().length)
                    .array());
            out.writeBytes(entry.place());
        }
        return out.toByteArray();
    }
}

package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.protocol.Json;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The rows of one document in all views of a group. */
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

    /** Rows of one document under one key come in the order of their values. */
    private static List<JsonNode> inOrder(JsonNode pairs) {
        List<JsonNode> list = new ArrayList<>();
        pairs.forEach(list::add);
        if (list.size() > 1) {
            list.sort((left, right) -> Arrays.compareUnsigned(Collation.key(left), Collation.key(right)));
        }
        return list;
    }

    /** {@return where the rows are, as bytes to be stored under the document's id, so they can be taken out again} */
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

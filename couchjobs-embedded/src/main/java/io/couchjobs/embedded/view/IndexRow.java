package io.couchjobs.embedded.view;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.StringDataType;

/** The row of one call of {@code emit}: the document's id, and the key and value as JSON. */
@SuppressWarnings("ArrayRecordComponent") // never compared as a value
record IndexRow(String id, byte[] key, byte[] value) {

    /** Returns the position of a row: ordered by key, then by id, then by its number among the rows of the document. */
    static byte[] place(byte[] sortKey, String id, int n) {
        byte[] idBytes = idBytes(id);
        return ByteBuffer.allocate(sortKey.length + idBytes.length + 1 + Integer.BYTES)
                .put(sortKey)
                .put(idBytes)
                .put((byte) 0)
                .putInt(n)
                .array();
    }

    /** Encodes an id as bytes without a zero byte, so that a zero byte can mark the end and a prefix of an id comes first. */
    static byte[] idBytes(String id) {
        String escaped = id.replace("\u0001", "\u0001\u0002").replace("\u0000", "\u0001\u0001");
        return escaped.getBytes(StandardCharsets.UTF_8);
    }

    /** The storage format of a row. */
    static final class Type extends BasicDataType<IndexRow> {
        static final Type INSTANCE = new Type();

        @Override
        public int getMemory(IndexRow row) {
            return 96 + 2 * row.id.length() + row.key.length + row.value.length;
        }

        @Override
        public void write(WriteBuffer buffer, IndexRow row) {
            StringDataType.INSTANCE.write(buffer, row.id);
            buffer.putVarInt(row.key.length).put(row.key);
            buffer.putVarInt(row.value.length).put(row.value);
        }

        @Override
        public IndexRow read(ByteBuffer buffer) {
            return new IndexRow(StringDataType.INSTANCE.read(buffer), bytes(buffer), bytes(buffer));
        }

        private static byte[] bytes(ByteBuffer buffer) {
            byte[] bytes = new byte[DataUtils.readVarInt(buffer)];
            buffer.get(bytes);
            return bytes;
        }

        @Override
        public IndexRow[] createStorage(int size) {
            return new IndexRow[size];
        }
    }
}

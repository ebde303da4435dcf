package io.couchjobs.embedded.store;

import java.nio.ByteBuffer;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.StringDataType;

/** Document ids in CouchDB's order: by UTF-8 bytes, that is, by code point and not by UTF-16 unit. */
final class DocIdType extends BasicDataType<String> {
    static final DocIdType INSTANCE = new DocIdType();

    private DocIdType() {}

    @Override
    public int compare(String left, String right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                return Character.isSurrogate(a) == Character.isSurrogate(b)
                        ? Character.compare(a, b)
                        : Boolean.compare(Character.isSurrogate(a), Character.isSurrogate(b));
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    @Override
    public int getMemory(String id) {
        return StringDataType.INSTANCE.getMemory(id);
    }

    @Override
    public void write(WriteBuffer buffer, String id) {
        StringDataType.INSTANCE.write(buffer, id);
    }

    @Override
    public String read(ByteBuffer buffer) {
        return StringDataType.INSTANCE.read(buffer);
    }

    @Override
    public String[] createStorage(int size) {
        return new String[size];
    }
}

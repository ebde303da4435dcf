package io.couchjobs.embedded.view;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.ByteArrayDataType;

/** The storage format of byte arrays in unsigned order. */
final class PlaceType extends BasicDataType<byte[]> {
    static final PlaceType INSTANCE = new PlaceType();

    @Override
    public int compare(byte[] left, byte[] right) {
        return Arrays.compareUnsigned(left, right);
    }

    @Override
    public int getMemory(byte[] bytes) {
        return ByteArrayDataType.INSTANCE.getMemory(bytes);
    }

    @Override
    public void write(WriteBuffer buffer, byte[] bytes) {
        ByteArrayDataType.INSTANCE.write(buffer, bytes);
    }

    @Override
    public byte[] read(ByteBuffer buffer) {
        return ByteArrayDataType.INSTANCE.read(buffer);
    }

    @Override
    public byte[][] createStorage(int size) {
        return new byte[size][];
    }
}

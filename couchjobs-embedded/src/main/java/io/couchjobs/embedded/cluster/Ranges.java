package io.couchjobs.embedded.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.CRC32;

/** Which range of a database a document belongs to: by its id's checksum, in equal parts. */
record Ranges(int count) {
    int of(String id) {
        CRC32 checksum = new CRC32();
        checksum.update(id.getBytes(StandardCharsets.UTF_8));
        return (int) ((checksum.getValue() * count) >>> Integer.SIZE);
    }

    /** {@return the first and the last checksum of a range, as CouchDB writes them} */
    String name(int range) {
        return String.format(Locale.ROOT, "%08x-%08x", first(range), first(range + 1) - 1);
    }

    private long first(int range) {
        return ((long) range << Integer.SIZE) / count;
    }
}

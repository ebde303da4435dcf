package io.couchjobs.embedded.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.CRC32;

/** Assigns documents to the ranges of a database, by the checksum of the id. All ranges are of equal size. */
record Ranges(int count) {
    int of(String id) {
        CRC32 checksum = new CRC32();
        checksum.update(id.getBytes(StandardCharsets.UTF_8));
        return (int) ((checksum.getValue() * count) >>> Integer.SIZE);
    }

    /** {@return the first and last checksum of a range, in CouchDB's format} */
    String name(int range) {
        return String.format(Locale.ROOT, "%08x-%08x", first(range), first(range + 1) - 1);
    }

    private long first(int range) {
        return ((long) range << Integer.SIZE) / count;
    }
}

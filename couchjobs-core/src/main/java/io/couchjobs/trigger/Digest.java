package io.couchjobs.trigger;

import io.couchjobs.engine.document.Sha256;

/** Short names of long texts, for ids that are derived from them. Stateless. */
final class Digest {
    private static final int BYTES = 8;

    private Digest() {}

    /**
     * A text as the id of a job: ids of documents may be longer than those of jobs. The digest takes the place of the end, which is
     * not cut off inside of a surrogate pair.
     */
    static String shortened(String id, int most) {
        if (id.length() <= most) {
            return id;
        }
        int cut = most - 1 - 2 * BYTES;
        return id.substring(0, Character.isHighSurrogate(id.charAt(cut - 1)) ? cut - 1 : cut) + "~" + of(id);
    }

    /** The first 64 bits of the SHA-256 of a text, in hex. */
    static String of(String text) {
        return Sha256.hex(text, BYTES);
    }
}

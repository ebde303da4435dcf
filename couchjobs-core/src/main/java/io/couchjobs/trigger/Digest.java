package io.couchjobs.trigger;

import io.couchjobs.engine.document.Sha256;

/** Short names of long texts, for ids that are derived from them. Stateless. */
final class Digest {
    private static final int BYTES = 8;

    private Digest() {}

    /**
     * Shortens a text to the length of a job id, because ids of documents may be longer. A digest of the whole text replaces its
     * end. The cut never splits a surrogate pair.
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

package io.couchjobs.trigger;

import io.couchjobs.engine.document.Sha256;

/** Shortens texts for use in derived ids. Stateless. */
final class Digest {
    private static final int BYTES = 8;

    private Digest() {}

    /**
     * Shortens a text to a maximum length, because document ids may be longer than job ids. A digest of the whole text replaces the
     * end of a text that is too long. The cut never splits a surrogate pair.
     */
    static String shortened(String id, int most) {
        if (id.length() <= most) {
            return id;
        }
        int cut = most - 1 - 2 * BYTES;
        return id.substring(0, Character.isHighSurrogate(id.charAt(cut - 1)) ? cut - 1 : cut) + "~" + of(id);
    }

    /** Returns the first 64 bits of a text's SHA-256, in hex. */
    static String of(String text) {
        return Sha256.hex(text, BYTES);
    }
}

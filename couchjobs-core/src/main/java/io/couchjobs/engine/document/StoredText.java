package io.couchjobs.engine.document;

import java.nio.charset.StandardCharsets;

/** Texts that CouchDB can store. It refuses a document with half of a surrogate pair in a text. Stateless. */
public final class StoredText {
    private StoredText() {}

    /** {@return the text, with a question mark in the place of each half of a surrogate pair that is alone} */
    public static String of(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /**
     * {@return the text as {@link #of(String)} has it, cut before the first character that does not fit, with three dots}
     *
     * @param longest how many characters of it are left, at most
     */
    public static String of(String text, int longest) {
        if (text.length() <= longest) {
            return of(text);
        }
        boolean cutsPair = Character.isHighSurrogate(text.charAt(longest - 1));
        return of(text.substring(0, cutsPair ? longest - 1 : longest)) + "...";
    }
}

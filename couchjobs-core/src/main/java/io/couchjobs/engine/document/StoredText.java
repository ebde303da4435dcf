package io.couchjobs.engine.document;

import java.nio.charset.StandardCharsets;

/** Makes texts that CouchDB can store. CouchDB refuses a document with half of a surrogate pair in a text. Stateless. */
public final class StoredText {
    private StoredText() {}

    /** {@return the text, with a question mark in place of each unpaired half of a surrogate pair} */
    public static String of(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /**
     * {@return the text as {@link #of(String)} returns it; a longer text is cut, without splitting a character, and ends
     * with three dots}
     *
     * @param longest the most characters that are left of the text
     */
    public static String of(String text, int longest) {
        if (text.length() <= longest) {
            return of(text);
        }
        boolean cutsPair = Character.isHighSurrogate(text.charAt(longest - 1));
        return of(text.substring(0, cutsPair ? longest - 1 : longest)) + "...";
    }
}

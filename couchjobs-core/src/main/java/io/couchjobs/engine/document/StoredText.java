package io.couchjobs.engine.document;

/** Texts that CouchDB can store. It refuses a document with half of a surrogate pair in a text. Stateless. */
public final class StoredText {
    private static final char REPLACEMENT = '\ufffd';

    private StoredText() {}

    /** {@return the text, with a replacement character in the place of each half of a surrogate pair that is alone} */
    public static String of(String text) {
        StringBuilder stored = new StringBuilder(text.length());
        text.codePoints().forEach(point -> stored.appendCodePoint(isHalf(point) ? REPLACEMENT : point));
        return stored.toString();
    }

    /**
     * {@return the text as {@link #of} has it, with three dots at its end if it is longer than that}
     *
     * @param text the text
     * @param longest how many characters of it are left, at most
     */
    public static String of(String text, int longest) {
        if (text.length() <= longest) {
            return of(text);
        }
        boolean cutsPair = Character.isHighSurrogate(text.charAt(longest - 1));
        return of(text.substring(0, cutsPair ? longest - 1 : longest)) + "...";
    }

    private static boolean isHalf(int point) {
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    }
}

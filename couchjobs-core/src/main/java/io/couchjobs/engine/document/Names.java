package io.couchjobs.engine.document;

import java.util.HexFormat;

/** Checks the names that are parts of document ids. Stateless. */
public final class Names {
    /** The most characters of a job's type. */
    public static final int LONGEST_TYPE = 128;

    /** The most characters of a job's id. */
    public static final int LONGEST_ID = 512;

    private Names() {}

    /** Checks a name as {@link #check} does. Also refuses a colon, because a colon ends the name in document ids. */
    public static String checkWithoutColon(String field, String value, int longest) {
        if (value.indexOf(':') >= 0) {
            throw new IllegalArgumentException(field + " must not contain a colon: \"" + printable(value) + "\"");
        }
        return check(field, value, longest);
    }

    /**
     * {@return the name, if it is legal}
     *
     * @param field the kind of name, for the message
     * @throws IllegalArgumentException when the name is not legal; the message names the field and the value
     */
    public static String check(String field, String value, int longest) {
        if (isBlank(value)) {
            throw new IllegalArgumentException(field + " must not be empty: \"" + printable(value) + "\"");
        }
        if (value.length() > longest) {
            throw new IllegalArgumentException(field + " is longer than " + longest + " characters (" + value.length()
                    + "): \"" + printable(value.substring(0, 40)) + "...\"");
        }
        if (!isStorable(value)) {
            throw new IllegalArgumentException(
                    field + " contains a control character or half a surrogate pair: \"" + printable(value) + "\"");
        }
        return value;
    }

    private static boolean isBlank(String value) {
        int spaces = 0;
        while (spaces < value.length() && value.charAt(spaces) == ' ') {
            spaces++;
        }
        return spaces == value.length();
    }

    /**
     * Returns whether CouchDB can store a name. ASCII takes a fast path: ids are made all the time, and nearly all are
     * ASCII.
     */
    private static boolean isStorable(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' || c > '~') {
                return value.codePoints().noneMatch(Names::cannotBeStored);
            }
        }
        return true;
    }

    private static boolean cannotBeStored(int codePoint) {
        int kind = Character.getType(codePoint);
        return kind == Character.CONTROL || kind == Character.SURROGATE;
    }

    private static String printable(String value) {
        StringBuilder printable = new StringBuilder();
        value.codePoints().forEach(c -> {
            if (cannotBeStored(c)) {
                printable.append("\\u" + HexFormat.of().toHexDigits((char) c));
            } else {
                printable.appendCodePoint(c);
            }
        });
        return printable.toString();
    }
}

package io.couchjobs.engine.document;

import java.util.HexFormat;

/** The names that are parts of document ids. Stateless. */
public final class Names {
    /** The most characters of the type of a job. */
    public static final int LONGEST_TYPE = 128;

    /** The most characters of the id of a job. */
    public static final int LONGEST_ID = 512;

    private Names() {}

    /** As {@link #check}, of a name that a colon ends in document ids. */
    public static String checkWithoutColon(String field, String value, int longest) {
        if (value.indexOf(':') >= 0) {
            throw new IllegalArgumentException(field + " must not contain a colon: \"" + printable(value) + "\"");
        }
        return check(field, value, longest);
    }

    /**
     * {@return the name, which is a legal one}
     *
     * @param field what it is a name of, for the message
     * @throws IllegalArgumentException when it is not a legal one; the message names the field and the value
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

    /** The fast path: ids are made all the time, and nearly all are ASCII. */
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

package io.couchjobs.cli.output;

/** The style of a text on a terminal with colours. Immutable and thread-safe. */
public enum Style {
    /** The default of the terminal. */
    PLAIN(""),
    /** For headings. */
    BOLD("1"),
    /** For unimportant text. */
    FAINT("2"),
    /** For failures. */
    BAD("31"),
    /** For successes. */
    GOOD("32"),
    /** For things that may need a look. */
    WARNING("33"),
    /** For things under way. */
    BUSY("36");

    private final String code;

    Style(String code) {
        this.code = code;
    }

    /**
     * Applies the style to a text.
     *
     * @param text the text
     * @param colour whether to use colours
     * @return the text, between escape sequences if the style has any and colours are used
     */
    public String apply(String text, boolean colour) {
        return !colour || code.isEmpty() ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
    }
}

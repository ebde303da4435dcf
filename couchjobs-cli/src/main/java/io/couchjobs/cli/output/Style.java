package io.couchjobs.cli.output;

/** How a piece of text looks on a terminal with colours. Immutable and thread-safe. */
public enum Style {
    /** As the terminal likes it. */
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
     * Dresses a text.
     *
     * @param text the text
     * @param colour whether the terminal wants colours
     * @return the text, between escape sequences when it wants them
     */
    public String apply(String text, boolean colour) {
        return !colour || code.isEmpty() ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
    }
}

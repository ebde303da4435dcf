package io.couchjobs.cli.output;

import org.jline.utils.WCWidth;

/**
 * One cell of a table. Immutable and thread-safe.
 *
 * @param text what it says; control characters are made harmless, so that no job can drive a terminal
 * @param style how it looks
 * @param right whether it is aligned to the right, as numbers are
 */
public record Cell(String text, Style style, boolean right) {
    /**
     * Makes the text harmless.
     *
     * @param text what it says
     * @param style how it looks
     * @param right whether it is aligned to the right
     */
    public Cell {
        text = printable(text);
    }

    /**
     * A plain cell.
     *
     * @param text what it says
     * @return the cell
     */
    public static Cell of(String text) {
        return new Cell(text, Style.PLAIN, false);
    }

    /**
     * A cell with a look of its own.
     *
     * @param text what it says
     * @param style how it looks
     * @return the cell
     */
    public static Cell of(String text, Style style) {
        return new Cell(text, style, false);
    }

    /**
     * A number, aligned to the right; zero is faint.
     *
     * @param number the number
     * @return the cell
     */
    public static Cell of(long number) {
        return new Cell(Long.toString(number), number == 0 ? Style.FAINT : Style.PLAIN, true);
    }

    /**
     * Measures a text.
     *
     * @param text a text without control characters
     * @return how many columns of a terminal it takes: wide characters take two, and combining ones none
     */
    public static int columns(String text) {
        return text.codePoints().map(Cell::columns).sum();
    }

    /**
     * Measures a character.
     *
     * @param character the character
     * @return how many columns of a terminal it takes: 0, 1 or 2
     */
    public static int columns(int character) {
        return Math.max(0, WCWidth.wcwidth(character));
    }

    /**
     * Replaces characters that could drive a terminal.
     *
     * @param text any text
     * @return the same text with every control character as an escape such as {@code \}{@code u001b}
     */
    public static String printable(String text) {
        if (text.chars().noneMatch(Character::isISOControl)) {
            return text;
        }
        StringBuilder safe = new StringBuilder();
        text.chars().forEach(c -> safe.append(Character.isISOControl(c) ? String.format("\\u%04x", c) : "" + (char) c));
        return safe.toString();
    }
}

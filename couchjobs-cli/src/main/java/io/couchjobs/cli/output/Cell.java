package io.couchjobs.cli.output;

import org.jline.utils.WCWidth;

/**
 * One cell of a table. Immutable and thread-safe.
 *
 * @param text the text; control characters are escaped, so that no job can control a terminal
 * @param style the style
 * @param right whether the text is aligned to the right, as numbers are
 */
public record Cell(String text, Style style, boolean right) {
    /**
     * Escapes control characters in the text.
     *
     * @param text the text
     * @param style the style
     * @param right whether the text is aligned to the right
     */
    public Cell {
        text = printable(text);
    }

    /**
     * Creates a plain cell.
     *
     * @param text the text
     * @return the cell
     */
    public static Cell of(String text) {
        return new Cell(text, Style.PLAIN, false);
    }

    /**
     * Creates a cell with a style.
     *
     * @param text the text
     * @param style the style
     * @return the cell
     */
    public static Cell of(String text, Style style) {
        return new Cell(text, style, false);
    }

    /**
     * Creates a cell with a number, aligned to the right; zero is faint.
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
     * @return how many columns of a terminal the text takes: wide characters take two, and combining ones none
     */
    public static int columns(String text) {
        return text.codePoints().map(Cell::columns).sum();
    }

    /**
     * Measures a character.
     *
     * @param character the character
     * @return how many columns of a terminal the character takes: 0, 1 or 2
     */
    public static int columns(int character) {
        return Math.max(0, WCWidth.wcwidth(character));
    }

    /**
     * Escapes characters that could control a terminal.
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

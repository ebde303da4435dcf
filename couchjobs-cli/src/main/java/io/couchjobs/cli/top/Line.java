package io.couchjobs.cli.top;

import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;

/** A line that is never wider than the screen, whatever is added. Not thread-safe. */
final class Line {
    private final int width;
    private final boolean colour;
    private final StringBuilder text = new StringBuilder();
    private int used;

    Line(int width, boolean colour) {
        this.width = width;
        this.colour = colour;
    }

    /** Adds as much of a text as fits. */
    Line add(String words, Style style) {
        String shown = fit(Cell.printable(words), width - used);
        text.append(style.apply(shown, colour && !shown.isBlank()));
        used += Cell.columns(shown);
        return this;
    }

    Line add(String words) {
        return add(words, Style.PLAIN);
    }

    /** Adds a column of a fixed width, and a blank. */
    Line column(String words, int columns, Style style) {
        String shown = fit(Cell.printable(words), columns);
        return add(shown, style).add(" ".repeat(columns - Cell.columns(shown) + 1));
    }

    /** Adds a column aligned to the right, and a blank. */
    Line number(String words, int columns, Style style) {
        String shown = fit(words, columns);
        return add(" ".repeat(columns - Cell.columns(shown))).add(shown, style).add(" ");
    }

    /** {@return the line with its styles, without blanks at the end} */
    String dressed() {
        return text.toString().stripTrailing();
    }

    /** Shortens a text to a number of columns, with an ellipsis if something is missing. */
    static String fit(String text, int columns) {
        if (columns <= 0) {
            return "";
        } else if (Cell.columns(text) <= columns) {
            return text;
        }
        StringBuilder fitting = new StringBuilder();
        int used = 0;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int wide = Cell.columns(text.codePointAt(i));
            if (used + wide > columns - 1) {
                break;
            }
            fitting.appendCodePoint(text.codePointAt(i));
            used += wide;
        }
        return fitting.append('…').toString();
    }
}

package io.couchjobs.cli.top;

import java.io.IOException;

/** A key that a person pressed. */
enum Key {
    UP,
    DOWN,
    SWITCH,
    PAUSE,
    RETRY,
    SHOW,
    HELP,
    FILTER,
    QUIT,
    OTHER,
    NONE;

    /** The source of characters, as the terminal sends them. */
    interface Source {
        /** {@return the next character; -1 at the end; another negative number when none comes within the time} */
        int read(long millis) throws IOException;
    }

    private static final int END = -1;
    private static final int ESCAPE = 27;
    /**
     * The time in which the rest of an escape sequence follows the escape. A person who presses Escape presses no other key that
     * quickly.
     */
    private static final long TOGETHER_MILLIS = 50;

    static Key read(Source source, long millis) throws IOException {
        int first = source.read(millis);
        return switch (first) {
            case END, 'q', 'Q', 3, 4 -> QUIT;
            case 'k' -> UP;
            case 'j' -> DOWN;
            case '\t' -> SWITCH;
            case 'p', 'P' -> PAUSE;
            case 'r', 'R' -> RETRY;
            case '\r', '\n' -> SHOW;
            case '?', 'h' -> HELP;
            case 'f', 'F' -> FILTER;
            case ESCAPE -> sequence(source);
            default -> first < 0 ? NONE : OTHER;
        };
    }

    /** Reads the rest of an escape sequence. Arrows are ESC [ A or, in the application mode of some terminals, ESC O A. */
    private static Key sequence(Source source) throws IOException {
        int second = source.read(TOGETHER_MILLIS);
        if (second != '[' && second != 'O') {
            return OTHER;
        }
        int last = source.read(TOGETHER_MILLIS);
        while (last >= '0' && last <= '?') { // parameters, such as those of Ctrl-Up
            last = source.read(TOGETHER_MILLIS);
        }
        return switch (last) {
            case 'A' -> UP;
            case 'B' -> DOWN;
            case 'Z' -> SWITCH;
            default -> OTHER;
        };
    }
}

package io.couchjobs.cli.top;

import java.util.Optional;

/**
 * The chosen line and the last message. Immutable.
 *
 * @param pane which of the two lists
 * @param row which of its lines, from 0; may be beyond the end of a list that has become shorter
 * @param message the outcome of the last action; empty for none
 */
record Cursor(Pane pane, int row, String message) {
    /** A list in which something can be chosen. */
    enum Pane {
        TYPES,
        FAILURES
    }

    static final Cursor START = new Cursor(Pane.TYPES, 0, "");

    Cursor switched() {
        return new Cursor(pane == Pane.TYPES ? Pane.FAILURES : Pane.TYPES, 0, "");
    }

    Cursor moved(int by, Snapshot snapshot) {
        int last = rows(snapshot) - 1;
        return new Cursor(pane, Math.max(0, Math.min(last, Math.min(last, row) + by)), "");
    }

    Cursor saying(String words) {
        return new Cursor(pane, row, words);
    }

    /** {@return the chosen line, or none when the list is empty} */
    Optional<Integer> chosen(Snapshot snapshot) {
        int rows = rows(snapshot);
        return rows == 0 ? Optional.empty() : Optional.of(Math.min(row, rows - 1));
    }

    private int rows(Snapshot snapshot) {
        return pane == Pane.TYPES
                ? snapshot.types().size()
                : snapshot.failures().size();
    }
}

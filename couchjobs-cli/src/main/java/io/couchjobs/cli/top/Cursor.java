package io.couchjobs.cli.top;

import java.util.List;
import java.util.Optional;

/**
 * The chosen line, the last message, and the part of the queue that is shown. Immutable.
 *
 * @param pane the list with the chosen line
 * @param row the chosen line, from 0; may be beyond the end of a list that has become shorter
 * @param message the outcome of the last action; empty for none
 * @param only the only type that the lists show; empty for all types
 * @param page the lines that are shown in place of the lists until a key is pressed; empty for the lists
 */
record Cursor(Pane pane, int row, String message, Optional<String> only, List<String> page) {
    /** A list in which a line can be chosen. */
    enum Pane {
        TYPES,
        FAILURES
    }

    static final Cursor START = new Cursor(Pane.TYPES, 0, "");

    Cursor(Pane pane, int row, String message) {
        this(pane, row, message, Optional.empty(), List.of());
    }

    Cursor switched() {
        return at(pane == Pane.TYPES ? Pane.FAILURES : Pane.TYPES, 0);
    }

    Cursor moved(int by, Snapshot snapshot) {
        int last = rows(snapshot) - 1;
        return at(pane, Math.max(0, Math.min(last, Math.min(last, row) + by)));
    }

    private Cursor at(Pane otherPane, int otherRow) {
        return new Cursor(otherPane, otherRow, "", only, List.of());
    }

    Cursor saying(String words) {
        return new Cursor(pane, row, words, only, List.of());
    }

    Cursor about(Optional<String> type) {
        return new Cursor(pane, 0, "", type, List.of());
    }

    Cursor showing(List<String> lines) {
        return new Cursor(pane, row, "any key: back to the lists", only, lines);
    }

    /** {@return the part of a snapshot that is shown} */
    Snapshot shown(Snapshot snapshot) {
        return only.map(snapshot::only).orElse(snapshot);
    }

    /** {@return the chosen line; empty when the list is empty} */
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

package io.couchjobs.cli.output;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A table. Each column is as wide as its widest cell, and two blanks separate the columns. Not thread-safe. */
public final class Table {
    private final List<List<Cell>> rows = new ArrayList<>();

    /**
     * Creates a table without rows.
     *
     * @param headings the headings of the columns
     */
    public Table(String... headings) {
        List<Cell> heading = new ArrayList<>();
        for (String text : headings) {
            heading.add(Cell.of(text, Style.BOLD));
        }
        rows.add(heading);
    }

    /**
     * Adds a row.
     *
     * @param cells the cells, one for each column
     * @return this
     */
    public Table row(Cell... cells) {
        rows.add(List.of(cells));
        return this;
    }

    void printCsv(PrintWriter out) {
        CsvWriter csv = CsvWriter.builder()
                .bufferSize(0)
                .lineDelimiter(LineDelimiter.LF)
                .build(out);
        rows.forEach(row -> csv.writeRecord(row.stream().map(Cell::text).toList()));
    }

    void print(PrintWriter out, boolean colour) {
        int[] widths = new int[rows.get(0).size()];
        for (List<Cell> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], width(row.get(column)));
            }
        }
        rows.forEach(row -> out.println(line(row, widths, colour)));
    }

    private String line(List<Cell> row, int[] widths, boolean colour) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            Cell cell = row.get(column);
            String padding = " ".repeat(widths[column] - width(cell));
            String text = cell.style().apply(cell.text(), colour);
            line.append(alignsRight(column) ? padding + text : text + padding).append("  ");
        }
        return line.toString().stripTrailing();
    }

    private boolean alignsRight(int column) {
        return rows.size() > 1 && rows.get(1).get(column).right();
    }

    private static int width(Cell cell) {
        return Cell.columns(cell.text());
    }
}

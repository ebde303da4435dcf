package io.couchjobs.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columns_are_as_wide_as_their_widest_cell_and_numbers_stand_right() {
        Table table = new Table("TYPE", "N").row(Cell.of("email"), Cell.of(7)).row(Cell.of("x"), Cell.of(1234));

        assertThat(print(table, false)).isEqualTo("TYPE      N\nemail     7\nx      1234\n");
    }

    @Test
    void wide_characters_take_two_columns_and_combining_ones_none() {
        Table table =
                new Table("ID", "X").row(Cell.of("\u65e5\u672c"), Cell.of("y")).row(Cell.of("e\u0301"), Cell.of("z"));

        assertThat(print(table, false)).isEqualTo("ID    X\n\u65e5\u672c  y\ne\u0301     z\n");
    }

    @Test
    void no_job_can_drive_the_terminal() {
        Table table = new Table("ID").row(Cell.of("a\u001b[2Jb\nc"));

        assertThat(print(table, true)).contains("a\\u001b[2Jb\\u000ac").endsWith("c\n");
    }

    @Test
    void colours_do_not_shift_the_columns() {
        Table table = new Table("S", "X").row(Cell.of("bad", Style.BAD), Cell.of("y"));

        assertThat(print(table, true)).contains("\u001b[31mbad\u001b[0m  y");
    }

    private static String print(Table table, boolean colour) {
        StringWriter out = new StringWriter();
        table.print(new PrintWriter(out), colour);
        return out.toString();
    }
}

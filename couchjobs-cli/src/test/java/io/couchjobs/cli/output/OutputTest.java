package io.couchjobs.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutputTest {
    private final StringWriter said = new StringWriter();

    @Test
    void results_are_shown_in_each_format() {
        assertThat(rows(Format.TABLE)).isEqualTo("ID     N\na, b   1\nc     20\n");
        assertThat(rows(Format.CSV)).isEqualTo("ID,N\n\"a, b\",1\nc,20\n");
        assertThat(rows(Format.ID)).isEqualTo("a, b\nc\n");
        assertThat(rows(Format.NDJSON)).isEqualTo("{\"id\":\"a, b\",\"runs\":1}\n{\"id\":\"c\",\"runs\":20}\n");
        assertThat(rows(Format.YAML)).isEqualTo("---\nid: \"a, b\"\nruns: 1\n---\nid: c\nruns: 20\n");
        assertThat(rows(Format.JSON)).startsWith("[ {").endsWith("} ]\n");
    }

    @Test
    void a_text_that_looks_like_a_number_stays_a_text_in_yaml() {
        Output output = new Output(new PrintWriter(said), Format.YAML, false);

        output.line(
                () -> "",
                () -> job("42", 1).put("day", "2030-01-31").put("part", ".5").put("answer", "yes"));

        assertThat(said.toString())
                .isEqualTo("---\nid: \"42\"\nruns: 1\nday: \"2030-01-31\"\npart: \".5\"\nanswer: \"yes\"\n");
    }

    @Test
    void a_single_result_is_a_line_for_people_and_for_tables() {
        assertThat(line(Format.TABLE)).isEqualTo("done\n");
        assertThat(line(Format.CSV)).isEqualTo("done\n");
        assertThat(line(Format.ID)).isEqualTo("c\n");
    }

    @Test
    void a_result_without_an_id_is_not_shown_in_the_format_id() {
        Output output = new Output(new PrintWriter(said), Format.ID, false);

        assertThatThrownBy(() -> output.line(() -> "done", JsonNodeFactory.instance::objectNode))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("prints no ids");
    }

    private String rows(Format format) {
        said.getBuffer().setLength(0);
        new Output(new PrintWriter(said), format, false)
                .rows(
                        () -> new Table("ID", "N")
                                .row(Cell.of("a, b"), Cell.of(1))
                                .row(Cell.of("c"), Cell.of(20)),
                        () -> List.of(job("a, b", 1), job("c", 20)));
        return said.toString();
    }

    private String line(Format format) {
        said.getBuffer().setLength(0);
        new Output(new PrintWriter(said), format, false).line(() -> "done", () -> job("c", 20));
        return said.toString();
    }

    private static ObjectNode job(String id, int runs) {
        return JsonNodeFactory.instance.objectNode().put("id", id).put("runs", runs);
    }
}

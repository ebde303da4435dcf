package io.couchjobs.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.job.JobRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobReaderTest {
    private IdField id = IdField.NONE;
    private final Times times = new Times(() -> Instant.EPOCH, ZoneOffset.UTC);

    @Test
    void a_line_of_ndjson_says_all_about_its_job() throws IOException {
        JobRequest job = request(
                JobReader.Format.NDJSON,
                "{\"id\":\"a\",\"data\":{\"n\":1},\"scheduledTime\":\"2030-01-01T00:00:00Z\",\"tags\":[\"x\"],\"priority\":7}");

        assertThat(job.id()).hasToString("email:a");
        assertThat(job.data()).hasToString("{\"n\":1}");
        assertThat(job.scheduledTime()).isEqualTo("2030-01-01T00:00:00Z");
    }

    @Test
    void bad_lines_of_ndjson_are_named_by_number_and_reason_and_the_others_go_on() throws IOException {
        List<JobLine<JobRequest>> lines = read(JobReader.Format.NDJSON, """
                {"data":{"n":1}}
                {"data":
                {"data":"text"}

                [1]
                {"data":{},"priorty":1}
                {"data":{},"scheduledTime":"soon"}
                {"data":{}} {"data":{}}
                {"id":1,"data":{}}
                {}
                {"data":{"n":2}}
                """);

        assertThat(lines)
                .filteredOn(line -> line.job().isPresent())
                .extracting(JobLine::number)
                .containsExactly(1L, 11L);
        assertThat(problemOf(lines, 2)).startsWith("not JSON");
        assertThat(problemOf(lines, 3)).contains("data must be a JSON object");
        assertThat(problemOf(lines, 5)).contains("not a JSON object");
        assertThat(problemOf(lines, 6)).contains("unknown field: priorty");
        assertThat(problemOf(lines, 7)).contains("'soon'");
        assertThat(problemOf(lines, 8)).startsWith("not JSON");
        assertThat(problemOf(lines, 9)).contains("id must be a string");
        assertThat(problemOf(lines, 10)).contains("data must be a JSON object");
    }

    @Test
    void a_line_that_tells_how_a_job_ended_is_refused_with_the_command_that_takes_it() throws IOException {
        List<JobLine<JobRequest>> lines = read(JobReader.Format.NDJSON, """
                {"id":"1","data":{},"status":"success"}
                {"_id":"job:email:2","data":{}}
                """);

        assertThat(problemOf(lines, 1)).contains("unknown field: status", "couchjobs import");
        assertThat(problemOf(lines, 2)).contains("unknown field: _id", "couchjobs import");
    }

    @Test
    void lines_of_ndjson_that_are_nested_too_deeply_are_named_and_the_others_go_on() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int levels : new int[] {498, 499, 2000, 1}) {
            text.append("{\"data\":{\"x\":")
                    .append("[".repeat(levels))
                    .append("]".repeat(levels))
                    .append("}}\n");
        }
        List<JobLine<JobRequest>> lines = read(JobReader.Format.NDJSON, text.toString());

        assertThat(lines)
                .filteredOn(line -> line.job().isPresent())
                .extracting(JobLine::number)
                .containsExactly(1L, 4L);
        assertThat(problemOf(lines, 2))
                .isEqualTo("data is nested too deeply: a job has at most 500 levels, its document included");
        assertThat(problemOf(lines, 3))
                .contains("nesting depth (1001)")
                .contains("(1000)")
                .doesNotContain("StreamRead");
    }

    @Test
    void the_header_of_csv_names_the_fields_of_the_data() throws IOException {
        List<JobLine<JobRequest>> lines = read(
                JobReader.Format.CSV,
                "to,subject\na@example.org,\"Hi, you\"\nonly-one\nb@example.org,\"two\nlines\"\n");

        assertThat(lines.get(0).job().orElseThrow().data())
                .hasToString("{\"to\":\"a@example.org\",\"subject\":\"Hi, you\"}");
        assertThat(problemOf(lines, 3)).isEqualTo("1 field, but the header has 2");
        assertThat(lines.get(2).job().orElseThrow().data().path("subject").asText())
                .isEqualTo("two\nlines");
    }

    @Test
    void a_record_of_csv_that_is_not_utf_8_is_named_and_the_next_is_read() throws IOException {
        byte[] bytes = "name\nJos?\n\uD83D\uDC00\n\uD800\uDC00\n".getBytes(StandardCharsets.UTF_8);
        bytes[8] = (byte) 0xe9;

        List<JobLine<JobRequest>> lines = read(JobReader.Format.CSV, new ByteArrayInputStream(bytes));

        assertThat(lines).extracting(line -> line.job().isPresent()).containsExactly(false, true, true);
        assertThat(problemOf(lines, 2)).isEqualTo("not valid UTF-8");
        bytes[2] = (byte) 0xe9;
        assertThat(read(JobReader.Format.CSV, new ByteArrayInputStream(bytes)))
                .as("a header that is not")
                .noneMatch(line -> line.job().isPresent());
    }

    @Test
    void a_byte_order_mark_is_no_part_of_a_name() throws IOException {
        assertThat(request(JobReader.Format.CSV, "\uFEFFto\na@example.org\n").data())
                .hasToString("{\"to\":\"a@example.org\"}");
        assertThat(read(JobReader.Format.CSV, "")).isEmpty();
    }

    @Test
    void a_header_that_cannot_be_says_why() {
        assertThatThrownBy(() -> read(JobReader.Format.CSV, "to,to\na,b\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not CSV")
                .hasMessageContaining("duplicate");
    }

    @Test
    void any_text_becomes_a_job_per_line_whatever_is_in_it() throws IOException {
        List<JobLine<JobRequest>> lines = read(JobReader.Format.LINES, "./a \"b\"\r\n\n{\"data\":1}\nlast");

        assertThat(lines)
                .extracting(line -> line.job().orElseThrow().data().path("line").asText())
                .containsExactly("./a \"b\"", "", "{\"data\":1}", "last");
    }

    @Test
    void a_line_that_is_not_utf_8_is_named_and_the_next_is_read() throws IOException {
        byte[] bytes = "good\nb?d\nalso good\n".getBytes(StandardCharsets.UTF_8);
        bytes[6] = (byte) 0xff;

        List<JobLine<JobRequest>> lines = read(JobReader.Format.LINES, new ByteArrayInputStream(bytes));

        assertThat(lines).extracting(line -> line.job().isPresent()).containsExactly(true, false, true);
        assertThat(problemOf(lines, 2)).isEqualTo("not valid UTF-8");
    }

    @Test
    void a_text_of_21_million_characters_is_read_from_a_line_of_ndjson_and_too_long_as_a_line_of_text()
            throws IOException {
        String text = "x".repeat(21_000_000);

        JobRequest job = request(JobReader.Format.NDJSON, "{\"data\":{\"text\":\"" + text + "\"}}");

        assertThat(job.data().path("text").asText().length()).isEqualTo(text.length());
        assertThat(problemOf(read(JobReader.Format.LINES, text), 1)).isEqualTo("longer than 8388608 bytes");
    }

    @Test
    void a_line_without_end_does_not_fill_the_memory() throws IOException {
        TextLines lines =
                new TextLines(new ByteArrayInputStream("12345678901\nshort\n".getBytes(StandardCharsets.UTF_8)), 10);

        assertThat(lines.next().orElseThrow().problem()).isEqualTo("longer than 10 bytes");
        assertThat(lines.next().orElseThrow().text()).isEqualTo("short");
        assertThat(lines.next()).isEmpty();
    }

    @Test
    void a_field_of_the_data_is_the_id_where_a_line_names_none() throws IOException {
        id = IdField.of("customer");
        String lines = """
                {"data":{"customer":7}}
                {"id":"own","data":{}}
                {"data":{"n":1}}
                {"id":null,"data":{"customer":8}}
                """;

        List<JobLine<JobRequest>> ndjson = read(JobReader.Format.NDJSON, lines);
        List<JobLine<JobRequest>> csv = read(JobReader.Format.CSV, "customer,n\nann,1\n,2\n");

        assertThat(ndjson)
                .flatExtracting(line -> line.job().stream().toList())
                .extracting("id")
                .hasToString("[email:7, email:own, email:8]");
        assertThat(problemOf(ndjson, 3)).isEqualTo("data has no customer, which is to be the id");
        assertThat(csv.get(0).job().orElseThrow().id()).hasToString("email:ann");
        assertThat(problemOf(csv, 3)).isEqualTo("data has no customer, which is to be the id");
    }

    @Test
    void only_texts_and_numbers_of_the_data_are_ids() throws IOException {
        id = IdField.of("c");

        List<JobLine<JobRequest>> lines = read(JobReader.Format.NDJSON, """
                {"data":{"c":"a"}}
                {"data":{"c":null}}
                {"data":{"c":true}}
                {"data":{"c":{}}}
                {"data":{"c":7}}
                """);

        assertThat(lines)
                .flatExtracting(line -> line.job().stream().toList())
                .extracting("id")
                .hasToString("[email:a, email:7]");
        assertThat(problemOf(lines, 2)).isEqualTo("c of the data is to be the id, a text or a number, and is null");
        assertThat(problemOf(lines, 3)).endsWith("and is true");
        assertThat(problemOf(lines, 4)).endsWith("and is {}");
    }

    @Test
    void the_name_of_a_file_says_what_it_is() {
        assertThat(JobReader.Format.of("people.CSV")).isEqualTo(JobReader.Format.CSV);
        assertThat(JobReader.Format.of("urls.txt")).isEqualTo(JobReader.Format.LINES);
        assertThat(JobReader.Format.of("jobs.ndjson")).isEqualTo(JobReader.Format.NDJSON);
        assertThat(JobReader.Format.of("-")).isEqualTo(JobReader.Format.NDJSON);
    }

    private JobRequest request(JobReader.Format format, String text) throws IOException {
        return read(format, text).get(0).job().orElseThrow();
    }

    private List<JobLine<JobRequest>> read(JobReader.Format format, String text) throws IOException {
        return read(format, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private List<JobLine<JobRequest>> read(JobReader.Format format, InputStream in) throws IOException {
        JobReader reader = format.open(in, () -> JobRequest.builder("email"), times, id);
        List<JobLine<JobRequest>> lines = new ArrayList<>();
        for (Optional<JobLine<JobRequest>> line = reader.next(); line.isPresent(); line = reader.next()) {
            lines.add(line.get());
        }
        return lines;
    }

    private static String problemOf(List<JobLine<JobRequest>> lines, long number) {
        return lines.stream()
                .filter(line -> line.number() == number)
                .findFirst()
                .orElseThrow()
                .problem();
    }

    @Test
    void a_line_with_a_number_that_couchdb_cannot_store_is_refused_and_the_others_are_read() throws IOException {
        for (int digits : List.of(309, 5000)) {
            List<JobLine<JobRequest>> lines = read(
                    JobReader.Format.NDJSON, "{\"data\":{\"n\":" + "7".repeat(digits) + "}}\n{\"data\":{\"n\":1}}");
            assertThat(problemOf(lines, 1)).containsIgnoringCase("number");
            assertThat(lines.get(1).job()).isPresent();
        }
    }
}

package io.couchjobs.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Writes results to standard output, in the requested format. Nothing but results goes there. Not thread-safe. */
public final class Output {
    private static final ObjectMapper MAPPER = JsonMapper.builder().build();
    private static final ObjectWriter YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                    .stringQuotingChecker(new QuotedNumbers())
                    .build())
            .build()
            .writer();

    private static final int WIDTH = 100;
    private static final String INDENT = "     ";
    private static final String NO_BREAK = "\u00a0";

    private final PrintWriter out;
    private final Format format;
    private final boolean colour;

    /**
     * Creates an output.
     *
     * @param out the writer of standard output
     * @param format the requested format
     * @param colour whether to use colours
     */
    public Output(PrintWriter out, Format format, boolean colour) {
        this.out = out;
        this.format = format;
        this.colour = colour;
    }

    /** {@return the requested format} */
    public Format format() {
        return format;
    }

    /**
     * Shows one result: as a line of text for people, or as a value for programs.
     *
     * @param line the text for people
     * @param json the value for programs
     */
    public void line(Supplier<String> line, Supplier<JsonNode> json) {
        if (format.isTabular()) {
            out.println(Cell.printable(line.get()));
        } else {
            value(json.get());
        }
        out.flush();
    }

    /**
     * Shows one result: as a table for people, or as a value for programs.
     *
     * @param table the table for people
     * @param json the value for programs
     */
    public void table(Supplier<Table> table, Supplier<JsonNode> json) {
        if (format.isTabular()) {
            print(table.get());
        } else {
            value(json.get());
        }
        out.flush();
    }

    /**
     * Shows many results: a line of text for each, a JSON array of them, or a value for each.
     *
     * @param <T> the type of the results
     * @param results the results
     * @param line writes a result as a line for people
     * @param json writes a result as a value for programs
     */
    public <T> void lines(List<T> results, Function<T, String> line, Function<T, JsonNode> json) {
        if (format == Format.JSON) {
            value(MAPPER.createArrayNode().addAll(results.stream().map(json).toList()));
            out.flush();
        } else {
            results.forEach(result -> line(() -> line.apply(result), () -> json.apply(result)));
        }
    }

    /**
     * Shows many results: a table of them, a JSON array of them, or a value for each.
     *
     * @param table the table for people
     * @param json the values for programs, one for each result
     */
    public void rows(Supplier<Table> table, Supplier<List<? extends JsonNode>> json) {
        switch (format) {
            case TABLE, CSV -> print(table.get());
            case JSON -> value(MAPPER.createArrayNode().addAll(json.get()));
            case NDJSON, YAML, ID -> json.get().forEach(this::value);
        }
        out.flush();
    }

    /**
     * Prints a line as it is, in every format.
     *
     * @param text the line
     */
    public void raw(String text) {
        out.println(text);
        out.flush();
    }

    /**
     * Prints a word and sentences about it, in lines that fit a terminal. A word that is longer than a line is not broken. Words
     * with no-break spaces between them are not broken either; these spaces are printed as ordinary ones.
     *
     * @param word the beginning of the first line
     * @param text the sentences; the lines after the first are indented
     */
    public void sentences(Cell word, String text) {
        StringBuilder line = new StringBuilder(word.style().apply(word.text(), colour));
        int length = word.text().length();
        for (String next : Cell.printable(text).split(" ", -1)) {
            if (length + 1 + next.length() > WIDTH) {
                out.println(line);
                line.setLength(0);
                line.append(INDENT);
                length = INDENT.length();
            }
            line.append(' ').append(next.replace(NO_BREAK, " "));
            length += 1 + next.length();
        }
        out.println(line);
        out.flush();
    }

    /** {@return whether the reader has gone, so that nothing more needs to be written} */
    public boolean isClosed() {
        return out.checkError();
    }

    private void print(Table table) {
        if (format == Format.CSV) {
            table.printCsv(out);
        } else {
            table.print(out, colour);
        }
    }

    private void value(JsonNode value) {
        try {
            out.println(
                    switch (format) {
                        case JSON -> MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
                        case YAML -> YAML.writeValueAsString(value).stripTrailing();
                        case ID -> Cell.printable(id(value));
                        default -> MAPPER.writeValueAsString(value);
                    });
        } catch (JsonProcessingException cannotHappen) {
            throw new IllegalStateException("a JSON tree could not be written", cannotHappen);
        }
    }

    private static String id(JsonNode value) {
        if (!value.path("id").isTextual()) {
            throw new IllegalArgumentException("this command prints no ids: -o id works only for commands that do");
        }
        return value.path("id").textValue();
    }

    /** Quotes strings that a reader of YAML would take for a number or a time, such as the id {@code "7"}. */
    private static final class QuotedNumbers extends StringQuotingChecker.Default {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean needToQuoteValue(String value) {
            return (!value.isEmpty() && "0123456789+-.".indexOf(value.charAt(0)) >= 0) || super.needToQuoteValue(value);
        }
    }
}

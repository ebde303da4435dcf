package io.couchjobs.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;

/** Where results go: standard output, in the format asked for, and nothing but results. Not thread-safe. */
public final class Output {
    private static final ObjectMapper MAPPER = JsonMapper.builder().build();

    private final PrintWriter out;
    private final Format format;
    private final boolean colour;

    /**
     * An output.
     *
     * @param out standard output
     * @param format the format asked for
     * @param colour whether a person's terminal reads it
     */
    public Output(PrintWriter out, Format format, boolean colour) {
        this.out = out;
        this.format = format;
        this.colour = colour;
    }

    /** {@return the format asked for} */
    public Format format() {
        return format;
    }

    /**
     * Shows one result as a line of text, or as JSON.
     *
     * @param line what people read
     * @param json what programs read
     */
    public void line(Supplier<String> line, Supplier<JsonNode> json) {
        if (format == Format.TABLE) {
            out.println(Cell.printable(line.get()));
        } else {
            json(json.get());
        }
        out.flush();
    }

    /**
     * Shows one result as a table, or as JSON.
     *
     * @param table what people read
     * @param json what programs read
     */
    public void table(Supplier<Table> table, Supplier<JsonNode> json) {
        if (format == Format.TABLE) {
            table.get().print(out, colour);
        } else {
            json(json.get());
        }
        out.flush();
    }

    /**
     * Shows many results: a table of them, a JSON array of them, or a line of JSON for each.
     *
     * @param table what people read
     * @param json what programs read, one by one
     */
    public void rows(Supplier<Table> table, Supplier<List<? extends JsonNode>> json) {
        switch (format) {
            case TABLE -> table.get().print(out, colour);
            case JSON -> json(MAPPER.createArrayNode().addAll(json.get()));
            case NDJSON -> json.get().forEach(this::json);
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

    /** {@return whether the reader has gone, so that nothing more needs to be said} */
    public boolean isClosed() {
        return out.checkError();
    }

    private void json(JsonNode value) {
        try {
            out.println(
                    format == Format.JSON
                            ? MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value)
                            : MAPPER.writeValueAsString(value));
        } catch (JsonProcessingException cannotHappen) {
            throw new IllegalStateException("a JSON tree could not be written", cannotHappen);
        }
    }
}

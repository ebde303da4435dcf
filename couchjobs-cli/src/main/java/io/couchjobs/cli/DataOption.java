package io.couchjobs.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.cli.input.InputJson;
import io.couchjobs.cli.input.JobReader;
import io.couchjobs.cli.output.FileProblem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option for the data of a job: as text, in a file, or on standard input. */
final class DataOption {
    @Option(
            names = "--data",
            paramLabel = "JSON|@FILE|-",
            description = "The input, a JSON object: itself, in a file, or on standard input; default {}.")
    private @Nullable String data;

    boolean isGiven() {
        return data != null;
    }

    /** Reads the data. Throws CommandException when the data is empty, cannot be read or is not JSON. */
    JsonNode read(Shell shell) {
        String text = text(shell);
        if (text.isBlank()) {
            throw CommandException.usage("--data" + (data == null || data.isBlank() ? "" : " " + data) + " is empty");
        }
        try {
            return InputJson.MAPPER.readTree(text);
        } catch (JsonProcessingException notJson) {
            throw CommandException.usage("--data is not JSON: " + JobReader.describe(notJson));
        }
    }

    private String text(Shell shell) {
        String given = data == null ? "{}" : data;
        if (given.equals("-")) {
            return standardInput(shell);
        }
        try {
            return given.startsWith("@") ? Files.readString(Path.of(given.substring(1))) : given;
        } catch (IOException unreadable) {
            throw CommandException.usage("cannot read " + FileProblem.of(Path.of(given.substring(1)), unreadable));
        }
    }

    private static String standardInput(Shell shell) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(shell.in().readAllBytes());
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException malformed) {
            throw CommandException.usage("standard input is not UTF-8");
        } catch (IOException unreadable) {
            throw CommandException.usage("cannot read standard input: " + unreadable.getMessage());
        }
    }
}

package io.couchjobs.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.cli.input.JobReader;
import io.couchjobs.cli.output.FileProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The input of a job, given in one of three ways. */
final class DataOption {
    @Option(
            names = "--data",
            paramLabel = "JSON|@FILE|-",
            description = "The input, a JSON object: itself, in a file, or on standard input; default {}.")
    private String data = "{}";

    boolean isGiven() {
        return !data.equals("{}");
    }

    /** Throws CommandException when there is nothing to read, or it is not JSON. */
    JsonNode read(Shell shell) {
        try {
            return new JsonMapper()
                    .reader()
                    .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .readTree(text(shell));
        } catch (JsonProcessingException notJson) {
            throw CommandException.usage("--data is not JSON: " + JobReader.describe(notJson));
        }
    }

    private String text(Shell shell) {
        try {
            if (data.equals("-")) {
                return new String(shell.in().readAllBytes(), StandardCharsets.UTF_8);
            }
            return data.startsWith("@") ? Files.readString(Path.of(data.substring(1))) : data;
        } catch (IOException unreadable) {
            throw CommandException.usage("cannot read " + FileProblem.of(Path.of(data.substring(1)), unreadable));
        }
    }
}

package io.couchjobs.cli;

import io.couchjobs.cli.output.FileProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that is named as an argument; {@code -} is standard input. */
final class InputFile {
    private InputFile() {}

    /** Checks a file before the server is asked for anything. A folder can be opened, but not read. */
    static void check(String file) {
        if (!file.equals("-")) {
            try (InputStream in = open(Path.of(file))) {
                in.read();
            } catch (IOException unreadable) {
                throw CommandException.usage("cannot read " + FileProblem.of(Path.of(file), unreadable));
            }
        }
    }

    static InputStream open(String file, Shell shell) {
        return file.equals("-") ? shell.in() : open(Path.of(file));
    }

    private static InputStream open(Path file) {
        try {
            return Files.newInputStream(file);
        } catch (IOException unreadable) {
            throw CommandException.usage("cannot read " + FileProblem.of(file, unreadable));
        }
    }
}

package io.couchjobs.cli;

import io.couchjobs.cli.output.FileProblem;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** A file that is named as an argument; {@code -} is standard input. */
final class InputFile {
    private InputFile() {}

    /** Checks that a file can be read, before the server is asked for anything. */
    static void check(String file) {
        if (!file.equals("-")) {
            try {
                check(Path.of(file));
            } catch (IOException unreadable) {
                throw CommandException.usage("cannot read " + FileProblem.of(Path.of(file), unreadable));
            }
        }
    }

    /** Reads a byte, because a folder can be opened but not read. A pipe is not read, because that is possible only once. */
    private static void check(Path file) throws IOException {
        if (Files.readAttributes(file, BasicFileAttributes.class).isOther()) {
            file.getFileSystem().provider().checkAccess(file, AccessMode.READ);
            return;
        }
        try (InputStream in = open(file)) {
            in.read();
        }
    }

    static InputStream open(String file, Shell shell) {
        return file.equals("-") ? new StandardInput(shell.in()) : open(Path.of(file));
    }

    private static InputStream open(Path file) {
        try {
            return Files.newInputStream(file);
        } catch (IOException unreadable) {
            throw CommandException.usage("cannot read " + FileProblem.of(file, unreadable));
        }
    }

    /** Standard input that is never closed: closing would wait for a thread that reads from it. */
    private static final class StandardInput extends FilterInputStream {
        StandardInput(InputStream in) {
            super(in);
        }

        @Override
        public void close() {}
    }
}

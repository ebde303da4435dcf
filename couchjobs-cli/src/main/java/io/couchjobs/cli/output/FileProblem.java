package io.couchjobs.cli.output;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Describes in words why a file cannot be read: the message of some Java exceptions is only the file's name. */
public final class FileProblem {
    private FileProblem() {}

    /**
     * Describes what is wrong with a file.
     *
     * @param file the file
     * @param problem Java's exception
     * @return the file's name and what is wrong with it
     */
    public static String of(Path file, IOException problem) {
        return file + ": " + reason(problem);
    }

    private static String reason(IOException problem) {
        if (problem instanceof NoSuchFileException) {
            return "no such file";
        } else if (problem instanceof AccessDeniedException) {
            return "permission denied";
        } else if (problem instanceof CharacterCodingException) {
            return "not UTF-8";
        }
        return problem.getMessage() == null ? problem.toString() : problem.getMessage();
    }
}

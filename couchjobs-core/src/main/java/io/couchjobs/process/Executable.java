package io.couchjobs.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks whether a program can be started, before a job is claimed for it. */
final class Executable {
    private final String searchPath;

    Executable(String searchPath) {
        this.searchPath = searchPath;
    }

    /** {@return whether the PATH has a program with a given name} */
    boolean exists(String name) {
        return onPath(name).isPresent();
    }

    /** Throws an IllegalArgumentException with the reason if the program cannot be started. */
    void check(String program) {
        Path file = program.contains("/")
                ? path(program)
                : onPath(program)
                        .orElseThrow(() -> cannotStart(
                                program,
                                "no such program on the PATH"
                                        + (Files.exists(path(program)) ? " (did you mean ./" + program + "?)" : "")));
        if (!Files.exists(file)) {
            throw cannotStart(program, "no such file");
        } else if (Files.isDirectory(file)) {
            throw cannotStart(program, "it is a folder");
        } else if (!Files.isExecutable(file)) {
            throw cannotStart(program, "it is not executable (chmod +x " + program + ")");
        }
        interpreter(file).filter(named -> !Files.isExecutable(named)).ifPresent(missing -> {
            throw cannotStart(program, "its interpreter " + missing + " cannot be run");
        });
    }

    private Optional<Path> onPath(String name) {
        return Stream.of(searchPath.split(":"))
                .map(folder -> Path.of(folder, name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    /** Returns the interpreter after {@code #!}. An unreadable file is not an error here, because it may still be executable. */
    private static Optional<Path> interpreter(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            String head = new String(in.readNBytes(256), StandardCharsets.ISO_8859_1);
            return head.startsWith("#!")
                    ? head.substring(2)
                            .lines()
                            .findFirst()
                            .map(line -> Path.of(line.strip().replaceAll("\\s.*", "")))
                    : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private static Path path(String program) {
        try {
            return Path.of(program);
        } catch (InvalidPathException notAPath) {
            throw cannotStart(program, "not a file name");
        }
    }

    private static IllegalArgumentException cannotStart(String program, String why) {
        return new IllegalArgumentException("cannot start " + program + ": " + why);
    }
}

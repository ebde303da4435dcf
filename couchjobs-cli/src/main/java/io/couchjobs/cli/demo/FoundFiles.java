package io.couchjobs.cli.demo;

import io.couchjobs.cli.output.FileProblem;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The regular files below a folder, except those of git and the build ({@code .git}, {@code target}).
 *
 * @param root the folder, absolute
 * @param files the files, absolute, in the order of their names
 * @param problems folders that could not be read, and why
 */
public record FoundFiles(Path root, List<Path> files, List<String> problems) {
    private static final Set<String> SKIPPED = Set.of(".git", "target");

    /**
     * Copies the lists, and sorts the files.
     *
     * @param root the folder, absolute
     * @param files the files, absolute
     * @param problems folders that could not be read
     */
    public FoundFiles {
        files = files.stream().sorted().toList();
        problems = List.copyOf(problems);
    }

    /**
     * Finds files. Does not follow symbolic links.
     *
     * @param folder the folder to search
     * @return the files and problems that were found
     * @throws IOException when the folder itself cannot be read
     */
    public static FoundFiles below(Path folder) throws IOException {
        Path root = folder.toAbsolutePath().normalize();
        List<Path> files = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                boolean skip = !visited.equals(root) && SKIPPED.contains(String.valueOf(visited.getFileName()));
                return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException problem) {
                problems.add("cannot read " + FileProblem.of(file, problem));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException problem) {
                if (problem != null) {
                    problems.add("cannot read " + FileProblem.of(visited, problem));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return new FoundFiles(root, files, problems);
    }
}

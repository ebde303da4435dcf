package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.worker.JobContext;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The file to which one process appends what it does, outside of the queue. Each line is one write to the operating system, which
 * keeps it when the process is killed. Thread-safe.
 */
final class Journal implements AutoCloseable {
    private static final String SUFFIX = ".journal";

    private final String process;
    /** No channel, which the interruption of a handler would close. */
    private final OutputStream file;

    private Journal(String process, OutputStream file) {
        this.process = process;
        this.file = file;
    }

    /** A process begins its journal when it is ready for work. */
    static Journal of(String process, Path folder) throws IOException {
        return new Journal(process, new FileOutputStream(file(process, folder).toFile(), true));
    }

    static boolean isBegun(String process, Path folder) {
        return Files.exists(file(process, folder));
    }

    private static Path file(String process, Path folder) {
        return folder.resolve(process + SUFFIX);
    }

    /** Notes what happens now to a run. */
    void note(What what, JobContext run, String detail) {
        note(System.nanoTime(), what, run, detail);
    }

    /** Notes what held at a moment that has passed, or later. */
    void note(long nanos, What what, JobContext run, String detail) {
        append(new Entry(
                nanos, System.currentTimeMillis(), process, what, run.id().docId(), run.token(), run.fence(), detail));
    }

    /** Notes how the queue said that a run ended. */
    void noteOutcome(String job, String token, long fence, String outcome) {
        append(new Entry(
                System.nanoTime(), System.currentTimeMillis(), process, What.OUTCOME, job, token, fence, outcome));
    }

    /** Notes the end of a job that a reader was told. */
    void noteTold(String job, long fence, String end) {
        append(new Entry(System.nanoTime(), System.currentTimeMillis(), process, What.TOLD, job, "", fence, end));
    }

    /** Notes what a creator does. */
    void note(What what, String job, String detail) {
        note(System.nanoTime(), what, job, detail);
    }

    /** Notes what a creator began to do then. */
    void note(long nanos, What what, String job, String detail) {
        append(Entry.ofCreator(nanos, System.currentTimeMillis(), process, what, job, detail));
    }

    private void append(Entry entry) {
        byte[] line = entry.line().getBytes(StandardCharsets.UTF_8);
        try {
            synchronized (file) {
                file.write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the journal cannot be written", e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** {@return what all processes have noted in a folder} */
    static List<Entry> readAll(Path folder) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList()) {
                for (String line : Files.readAllLines(file)) {
                    Entry.parse(line).ifPresent(entries::add);
                }
            }
        }
        return entries;
    }
}

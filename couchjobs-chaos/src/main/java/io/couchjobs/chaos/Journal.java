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
 * The file to which a process appends its actions, independently of the queue. Each line is a single write to the operating
 * system, so it survives when the process is killed. Thread-safe.
 */
final class Journal implements AutoCloseable {
    private static final String SUFFIX = ".journal";

    private final String process;
    /** Not a channel, because interrupting a handler would close a channel. */
    private final OutputStream file;

    private Journal(String process, OutputStream file) {
        this.process = process;
        this.file = file;
    }

    /** Opens the journal of a process. The process does so when it is ready for work. */
    static Journal of(String process, Path folder) throws IOException {
        return new Journal(process, new FileOutputStream(file(process, folder).toFile(), true));
    }

    static boolean isBegun(String process, Path folder) {
        return Files.exists(file(process, folder));
    }

    private static Path file(String process, Path folder) {
        return folder.resolve(process + SUFFIX);
    }

    /** Notes an event of a run that happens now. */
    void note(What what, JobContext run, String detail) {
        note(System.nanoTime(), what, run, detail);
    }

    /** Notes an event of a run that happened at a past moment or later. */
    void note(long nanos, What what, JobContext run, String detail) {
        append(new Entry(
                nanos, System.currentTimeMillis(), process, what, run.id().docId(), run.token(), run.fence(), detail));
    }

    /** Notes the outcome that the queue reported for a run. */
    void noteOutcome(String job, String token, long fence, String outcome) {
        append(new Entry(
                System.nanoTime(), System.currentTimeMillis(), process, What.OUTCOME, job, token, fence, outcome));
    }

    /** Notes the end of a job that the queue reported to a reader. */
    void noteTold(String job, long fence, String end) {
        append(new Entry(System.nanoTime(), System.currentTimeMillis(), process, What.TOLD, job, "", fence, end));
    }

    /** Notes an event of a creator that happens now. */
    void note(What what, String job, String detail) {
        note(System.nanoTime(), what, job, detail);
    }

    /** Notes an action of a creator that began at a past moment. */
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

    /** {@return the notes of all processes in a folder} */
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

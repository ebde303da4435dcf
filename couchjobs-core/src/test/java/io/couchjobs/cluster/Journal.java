package io.couchjobs.cluster;

import io.couchjobs.worker.JobContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A file to which the handlers of all processes append when a run began and when it was over, on the machine's monotonic
 * clock, which these processes share. What it tells was seen by the jobs themselves, and not by the queue.
 */
final class Journal implements AutoCloseable {
    private final FileChannel file;

    /** One run of a job; the end of one that has not told it is for ever. */
    record Run(String id, long fence, String token, long begin, long end, String process) {}

    private Journal(FileChannel file) {
        this.file = file;
    }

    static Journal appendTo(Path path) throws IOException {
        return new Journal(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    void begun(JobContext context) {
        append("begin", context);
    }

    void over(JobContext context) {
        append("end", context);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private void append(String what, JobContext context) {
        String line = String.join(
                        " ",
                        what,
                        context.id().id(),
                        "" + context.fence(),
                        context.token(),
                        "" + System.nanoTime(),
                        "" + ProcessHandle.current().pid())
                + "\n";
        try {
            file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All runs by job, those of a job in the order in which they began. */
    static Map<String, List<Run>> read(Path path) throws IOException {
        Map<String, Run> byToken = new TreeMap<>();
        for (String line : Files.readAllLines(path)) {
            String[] words = line.split(" ");
            long nanos = Long.parseLong(words[4]);
            String key = words[1] + " " + words[3];
            Run run = words[0].equals("begin")
                    ? new Run(words[1], Long.parseLong(words[2]), words[3], nanos, Long.MAX_VALUE, words[5])
                    : ended(byToken.get(key), nanos);
            byToken.put(key, run);
        }
        return byToken.values().stream()
                .sorted(Comparator.comparingLong(Run::begin))
                .collect(Collectors.groupingBy(Run::id, TreeMap::new, Collectors.toList()));
    }

    private static Run ended(Run run, long nanos) {
        return new Run(run.id(), run.fence(), run.token(), run.begin(), nanos, run.process());
    }

    /** Runs of a job that were going on at the same time, or had the same fence, or a lesser one than an earlier run. */
    static List<String> overlaps(Map<String, List<Run>> runs) {
        List<String> overlaps = new ArrayList<>();
        for (List<Run> ofJob : runs.values()) {
            for (int i = 1; i < ofJob.size(); i++) {
                Run earlier = ofJob.get(i - 1);
                Run later = ofJob.get(i);
                if (earlier.end() > later.begin() || earlier.fence() >= later.fence()) {
                    overlaps.add(earlier + " and " + later);
                }
            }
        }
        return overlaps;
    }
}

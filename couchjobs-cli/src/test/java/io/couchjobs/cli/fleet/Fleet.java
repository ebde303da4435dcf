package io.couchjobs.cli.fleet;

import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Worker processes of several kinds on one queue, of which one after another is killed and replaced. Not thread-safe. */
final class Fleet implements AutoCloseable {
    private final TestDatabase database;
    private final Path folder;
    private final List<Kind> kinds;
    private final Random random;
    private final List<Process> processes = new ArrayList<>();
    private int started;
    private int kills;

    /** Begins with the given kinds, one process for each mention. */
    Fleet(TestDatabase database, Path folder, List<Kind> kinds, long seed) throws IOException {
        this.database = database;
        this.folder = folder;
        this.kinds = kinds;
        this.random = new Random(seed);
        for (Kind kind : kinds) {
            processes.add(start(kind));
        }
    }

    private Process start(Kind kind) throws IOException {
        started++;
        return kind.worker(database, kind.name().toLowerCase(Locale.ROOT) + "-" + started, folder.resolve(kind.name()))
                .start();
    }

    /** Kills one at random, as a machine that loses its power does, and starts another of its kind. */
    void killOne() throws IOException, InterruptedException {
        int which = random.nextInt(processes.size());
        processes.get(which).destroyForcibly().waitFor();
        processes.set(which, start(kinds.get(which)));
        kills++;
    }

    int kills() {
        return kills;
    }

    @Override
    public void close() {
        processes.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }
}

package io.couchjobs.chaos;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A process that runs jobs until its standard input ends. A line of input sets how many milliseconds its clock is ahead.
 * Arguments: the name, the folder for the journal, and optionally the worker id.
 */
final class WorkerProcess implements AutoCloseable {
    static final Duration TIME_LIMIT = Duration.ofSeconds(12);
    private static final int CONCURRENCY = 16;
    private static final int PREFETCH = 2;

    private final Journal journal;
    private final JobQueue queue;
    private final Worker worker;
    private final Work work;
    private volatile Duration ahead = Duration.ZERO;

    private WorkerProcess(String name, Path folder, String id) throws IOException, InterruptedException {
        this.queue = Surroundings.open(() -> Instant.now().plus(ahead));
        this.journal = Journal.of(name, folder);
        Standstill.watch(journal);
        this.work = new Work(journal);
        this.worker = start(name, id);
    }

    /**
     * {@return whether a worker process notes outcomes} Without a listener, the third worker writes ends while its next jobs run.
     */
    static boolean notesOutcomes(String process) {
        return !process.startsWith("worker2-");
    }

    private Worker start(String name, String id) throws InterruptedException {
        WorkerBuilder builder =
                queue.worker().concurrency(CONCURRENCY).prefetch(PREFETCH).timeLimit(TIME_LIMIT);
        if (notesOutcomes(name)) {
            builder.onRunEnded(this::ended);
        }
        if (!id.isEmpty()) {
            builder.id(id);
        }
        for (Kind kind : Kind.values()) {
            builder.handler(kind.type(), Work.Task.class, work::run);
        }
        return started(builder);
    }

    /** Starts a worker. Tries again while the database cannot be used, because the library leaves this decision to the program. */
    private static Worker started(WorkerBuilder builder) throws InterruptedException {
        while (true) {
            try {
                return builder.start();
            } catch (CouchException away) {
                System.err.println("cannot start yet: " + away.getMessage());
                Surroundings.pass(500);
            }
        }
    }

    /** Notes the outcome of a run. Called on the thread of the handler, if the handler was called. */
    private void ended(RunReport report) {
        Optional<Work.Claim> claim = Work.last();
        claim.ifPresent(run -> journal.noteOutcome(
                report.id().docId(), run.token(), run.fence(), report.outcome().name()));
    }

    private void obey() throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            ahead = Duration.ofMillis(Long.parseLong(line));
        }
    }

    @Override
    public void close() throws IOException {
        worker.close();
        System.err.println(worker.stats());
        queue.close();
        journal.close();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        String id = arguments.length > 2 ? arguments[2] : "";
        try (WorkerProcess process = new WorkerProcess(arguments[0], Path.of(arguments[1]), id)) {
            process.obey();
        }
    }
}

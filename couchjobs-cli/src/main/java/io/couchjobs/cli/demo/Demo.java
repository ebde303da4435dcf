package io.couchjobs.cli.demo;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Adds a job per file, lets worker processes compete for them, and checks every result. Not thread-safe. */
public final class Demo {
    private static final int BATCH = 500;
    private static final long GLANCE_MS = 100;
    /**
     * The timeout of the jobs. It is short, so that the demonstration does not wait long for the jobs of a worker that was
     * killed.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final JobQueue queue;
    private final ProgressLine progress;
    private final Consumer<String> say;

    /**
     * Creates a demonstration in an empty queue.
     *
     * @param queue the queue
     * @param progress shows the progress
     * @param say shows other messages
     */
    public Demo(JobQueue queue, ProgressLine progress, Consumer<String> say) {
        this.queue = queue;
        this.progress = progress;
        this.say = say;
    }

    /**
     * The number of workers, and how to start them.
     *
     * @param count how many processes
     * @param arguments the arguments of the command line for each, except for its name
     * @param environment the variables to add to their environment
     */
    public record Workers(int count, List<String> arguments, Map<String, String> environment) {}

    /**
     * Runs the demonstration.
     *
     * @param found the files
     * @param workers how to start the workers
     * @return the results
     * @throws IOException when a worker process cannot be started
     * @throws InterruptedException when interrupted; the worker processes are stopped
     */
    public Summary run(FoundFiles found, Workers workers) throws IOException, InterruptedException {
        List<FileJob> jobs = found.files().stream()
                .map(file -> FileJob.of(found.root(), file))
                .toList();
        queue.types().setTimeout(FileJob.TYPE, TIMEOUT);
        List<WorkerProcess> processes = start(workers);
        try {
            add(jobs);
            for (WorkerProcess process : processes) {
                process.awaitReady();
            }
            long started = System.nanoTime();
            processes.forEach(WorkerProcess::go);
            follow(processes, jobs.size(), started);
            double seconds = (System.nanoTime() - started) / 1e9;
            return check(jobs, processes, seconds);
        } finally {
            processes.forEach(WorkerProcess::close);
            progress.clear();
        }
    }

    private List<WorkerProcess> start(Workers workers) throws IOException {
        List<WorkerProcess> processes = new ArrayList<>();
        for (int number = 1; number <= workers.count(); number++) {
            String id = "worker-" + number;
            List<String> arguments = new ArrayList<>(workers.arguments());
            arguments.addAll(List.of("--id", id));
            processes.add(WorkerProcess.start(id, arguments, workers.environment()));
        }
        return processes;
    }

    private void add(List<FileJob> jobs) {
        for (int start = 0; start < jobs.size(); start += BATCH) {
            List<JobRequest> batch = jobs.subList(start, Math.min(jobs.size(), start + BATCH)).stream()
                    .map(FileJob::request)
                    .toList();
            queue.addAll(batch).stream()
                    .filter(result -> result.outcome() == AddResult.Outcome.REJECTED)
                    .forEach(result -> say.accept("not added: " + result.id() + ": " + result.problem()));
            progress.update("added " + (start + batch.size()) + " of " + jobs.size() + " jobs");
        }
    }

    private void follow(List<WorkerProcess> processes, int jobs, long started) throws InterruptedException {
        List<WorkerProcess> alive = new ArrayList<>(processes);
        while (!alive.isEmpty()) {
            if (alive.get(0).awaitEnd(GLANCE_MS)) {
                ended(alive.remove(0));
            }
            progress.update(state(processes, jobs, started));
        }
    }

    private void ended(WorkerProcess process) {
        if (process.exitCode() != 0) {
            progress.clear();
            say.accept(process.id() + " ended by exit code " + process.exitCode() + "; the others take over its jobs");
        }
    }

    private static String state(List<WorkerProcess> processes, int jobs, long started) {
        long done = sum(processes, "succeeded") + sum(processes, "failed");
        StringBuilder state = new StringBuilder();
        state.append(done).append(" of ").append(jobs).append(" jobs");
        processes.forEach(
                process -> state.append(", ").append(process.id()).append(": ").append(process.count("succeeded")));
        double seconds = (System.nanoTime() - started) / 1e9;
        return state.append(String.format(", %.0f jobs/s", done / seconds)).toString();
    }

    private Summary check(List<FileJob> jobs, List<WorkerProcess> processes, double seconds)
            throws InterruptedException {
        Check check = new Check(queue.database());
        check.run(jobs, done -> progress.update("checked " + done + " of " + jobs.size() + " results"));
        List<Summary.Worker> workers = processes.stream()
                .map(process -> new Summary.Worker(
                        process.id(),
                        process.count("claimed"),
                        process.count("succeeded"),
                        process.count("failed"),
                        process.count("retried") + process.count("recovered"),
                        process.count("conflicts")))
                .toList();
        return new Summary(
                jobs.size(),
                check.succeeded(),
                check.bytes(),
                seconds,
                check.steadyRate(),
                workers,
                check.failures(),
                check.mismatches(),
                check.changed());
    }

    private static long sum(List<WorkerProcess> processes, String what) {
        return processes.stream().mapToLong(process -> process.count(what)).sum();
    }
}

package io.couchjobs.cli.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Worker processes that are started when they are first needed and then reused, because a JVM needs a while to become fast. One
 * thread at a time may use a crew; any thread may call {@link #close}.
 */
final class Crew implements AutoCloseable {
    private static final long GLANCE_MS = 20;
    private static final Duration STANDSTILL = Duration.ofMinutes(2);

    private final Place place;
    private final List<String> jvmOptions;
    private final List<Child> children = new ArrayList<>();
    private boolean closed;

    Crew(Place place, List<String> jvmOptions) {
        this.place = place;
        this.jvmOptions = jvmOptions;
    }

    /** Lets some of the processes work in a queue. */
    Shift start(String database, int processes, int workersEach, int concurrency, boolean tell)
            throws IOException, InterruptedException {
        return start(database, Payload.TYPE, processes, workersEach, concurrency, tell);
    }

    /** Lets some of the processes work in a queue, with workers for a type of jobs. */
    Shift start(String database, String type, int processes, int workersEach, int concurrency, boolean tell)
            throws IOException, InterruptedException {
        List<Child> chosen = first(processes);
        try {
            for (Child child : chosen) {
                child.work(database, type, workersEach, concurrency, tell);
            }
            return new Shift(chosen);
        } catch (IOException | InterruptedException trouble) {
            dismiss(); // some processes work, others do not
            throw trouble;
        }
    }

    private synchronized void dismiss() {
        children.forEach(Child::close);
        children.clear();
    }

    private synchronized List<Child> first(int count) throws IOException {
        while (children.size() < count) {
            if (closed) {
                throw new IllegalStateException("the benchmark has ended");
            }
            children.add(Child.start(place, jvmOptions));
        }
        return List.copyOf(children.subList(0, count));
    }

    @Override
    public synchronized void close() {
        closed = true;
        dismiss();
    }

    /** Processes at work in one queue. */
    record Shift(List<Child> children) {
        WorkReport report() throws IOException, InterruptedException {
            List<WorkReport> reports = new ArrayList<>();
            for (Child child : children) {
                reports.add(child.report());
            }
            return WorkReport.sum(reports);
        }

        /** Waits until the given number of jobs have been run. */
        void awaitRuns(long jobs, LongConsumer progress) throws IOException, InterruptedException {
            long before = -1;
            long moved = System.nanoTime();
            for (long done = report().succeeded(); done < jobs; done = report().succeeded()) {
                if (done != before) {
                    before = done;
                    moved = System.nanoTime();
                    progress.accept(done);
                } else if (System.nanoTime() - moved > STANDSTILL.toNanos()) {
                    throw new IOException("the workers stopped at " + done + " of " + jobs + " jobs");
                }
                Thread.sleep(GLANCE_MS);
            }
        }

        void stop() throws IOException, InterruptedException {
            for (Child child : children) {
                child.stop();
            }
        }
    }
}

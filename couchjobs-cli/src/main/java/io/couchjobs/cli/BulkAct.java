package io.couchjobs.cli;

import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Format;
import io.couchjobs.cli.output.Output;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Acts on many jobs, several at the same time, in constant memory. A job that refuses the action, or is gone, does not stop the
 * others. An unreachable database stops the run, and so does Ctrl-C.
 */
final class BulkAct {
    /** How many jobs are acted on at the same time; their writes share bulk requests. */
    private static final int AT_ONCE = 16;

    private static final int BATCH = 500;

    private final Couchjobs root;
    private final Function<JobId, String> act;
    private final BulkSummary summary = new BulkSummary();
    private final Output output;
    private final ProgressLine progress;
    private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    private final Queue<Future<Optional<Outcome>>> batch = new ArrayDeque<>();
    private final AtomicReference<@Nullable RuntimeException> trouble = new AtomicReference<>();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private boolean isCutShort;
    private long looks;
    private final long started = System.nanoTime();

    /** Creates an instance; {@code act} returns what it did. */
    BulkAct(Couchjobs root, Function<JobId, String> act) {
        this.root = root;
        this.act = act;
        this.output = root.output();
        this.progress = root.progress();
    }

    /** {@return the jobs, until a signal comes} Use it before a filter, which may let no job through for a long time. */
    <T> Stream<T> lookAt(Stream<T> jobs) {
        return jobs.takeWhile(job -> goesOn()).peek(job -> {
            looks++;
            progress();
        });
    }

    ExitCode run(Stream<JobId> ids) {
        Interrupts.onSignal(signal -> stop());
        try {
            takeAll(ids);
        } catch (RuntimeException e) {
            progress.clear();
            root.warn("couchjobs: stopped: " + summary.line());
            throw e;
        } finally {
            threads.shutdownNow();
            progress.clear();
        }
        return show();
    }

    /** Starts no further action. */
    void stop() {
        stopped.set(true);
    }

    /** Acts on all jobs. When the list fails, no further action starts, but the started ones are awaited and counted. */
    private void takeAll(Stream<JobId> ids) {
        try {
            ids.takeWhile(id -> goesOn()).forEach(this::take);
        } catch (RuntimeException e) {
            trouble.compareAndSet(null, e);
        }
        flush();
    }

    /** Returns whether to take the next job; called before each job. */
    private boolean goesOn() {
        isCutShort = stopped.get();
        return !isCutShort;
    }

    private void take(JobId id) {
        batch.add(threads.submit(() -> attempt(id)));
        if (batch.size() == BATCH) {
            flush();
        }
    }

    private void flush() {
        while (!batch.isEmpty()) {
            ended(batch.remove()).ifPresent(this::record);
        }
        progress();
        RuntimeException problem = trouble.get();
        if (problem != null) {
            throw problem;
        }
    }

    private void progress() {
        String looked = looks > 0 ? "looked at " + looks + ", " : "";
        progress.update("couchjobs: " + looked + summary.line() + ", " + took());
    }

    private void record(Outcome outcome) {
        summary.add(outcome);
        boolean isTold = output.format() == Format.NDJSON
                || (output.format() == Format.ID && outcome.kind() == Outcome.Kind.CHANGED);
        if (isTold) {
            output.line(() -> "", outcome::json);
        }
    }

    /**
     * Acts on a job, which may have changed since it was listed. Does nothing after a failure of another action has stopped the
     * run.
     */
    private Optional<Outcome> attempt(JobId id) {
        if (trouble.get() != null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Outcome.changed(id, act.apply(id)));
        } catch (NotFoundException gone) {
            return Optional.of(Outcome.gone(id));
        } catch (JobRefusedException
                | ContentionException
                | UnconfirmedException
                | WriteRefusedException
                | MalformedDocumentException refusal) {
            return Optional.of(Outcome.refused(id, refusal));
        } catch (RuntimeException e) {
            trouble.compareAndSet(null, e);
            return Optional.empty();
        }
    }

    private static Optional<Outcome> ended(Future<Optional<Outcome>> one) {
        try {
            return one.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted");
        }
    }

    private ExitCode show() {
        root.say("couchjobs: "
                + (summary.total() == 0 ? "no such jobs" : Counted.of(summary.total(), "job") + " in " + took())
                + (isCutShort ? ", stopped before the end" : ""));
        switch (output.format()) {
            case TABLE, CSV -> summary.lines().forEach(output::raw);
            case JSON, YAML -> output.line(() -> "", summary::json);
            case NDJSON, ID -> told().forEach(line -> root.warn("couchjobs: " + line));
        }
        if (isCutShort) {
            return ExitCode.INTERRUPTED;
        }
        return summary.isComplete() ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** Returns the lines to show; with -q, only the refusals. */
    private List<String> told() {
        return root.options().quiet ? summary.refusals() : summary.lines();
    }

    private String took() {
        return Durations.format(Duration.ofNanos(System.nanoTime() - started));
    }
}

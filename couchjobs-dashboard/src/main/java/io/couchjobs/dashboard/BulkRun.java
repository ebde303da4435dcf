package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One action on many jobs. A job that refuses the action, or is gone, does not stop the others. An unreachable database stops the
 * run. Thread-safe.
 */
final class BulkRun {
    private static final Logger log = LoggerFactory.getLogger(BulkRun.class);
    /** How many jobs are acted on at the same time; their writes share bulk requests. */
    private static final int AT_ONCE = 16;

    private static final int BATCH = 200;
    private static final int MOST_REASONS = 20;

    private final long number;
    private final String action;
    private final Function<JobId, String> act;
    private final Supplier<Stream<JobId>> jobs;
    private final Thread thread = new Thread(this::run, "couchjobs-dashboard-bulk");
    private final Map<String, Long> refused = new TreeMap<>();
    private final Map<String, Long> changed = new TreeMap<>();
    private long gone;
    private @Nullable String problem;
    private boolean done;
    private volatile boolean stopped;

    BulkRun(long number, String action, Function<JobId, String> act, Supplier<Stream<JobId>> jobs) {
        this.number = number;
        this.action = action;
        this.act = act;
        this.jobs = jobs;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    void stop() {
        stopped = true;
    }

    synchronized boolean isDone() {
        return done;
    }

    synchronized ObjectNode json() {
        ObjectNode json = Call.JSON
                .createObjectNode()
                .put("number", number)
                .put("action", action)
                .put("gone", gone)
                .put("done", done)
                .put("stopped", stopped)
                .put("problem", problem);
        ObjectNode results = json.putObject("changed");
        changed.forEach(results::put);
        ObjectNode reasons = json.putObject("refused");
        refused.forEach(reasons::put);
        return json;
    }

    void run() {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try (Stream<JobId> all = jobs.get()) {
            List<Future<?>> batch = new ArrayList<>();
            all.takeWhile(id -> !stopped).forEach(id -> {
                batch.add(threads.submit(() -> attempt(id)));
                if (batch.size() == BATCH) {
                    batch.forEach(BulkRun::await);
                    batch.clear();
                }
            });
            batch.forEach(BulkRun::await);
            end(null);
        } catch (RuntimeException | Error e) {
            log.warn("{} of many jobs ended early", action, e);
            end(e.getMessage() == null ? e.toString() : e.getMessage());
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(Future<?> attempt) {
        try {
            attempt.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException problem ? problem : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while jobs were changed", e);
        }
    }

    private void attempt(JobId id) {
        if (stopped) {
            return;
        }
        try {
            note(changed, act.apply(id));
        } catch (NotFoundException e) {
            synchronized (this) {
                gone++;
            }
        } catch (JobRefusedException
                | ContentionException
                | UnconfirmedException
                | WriteRefusedException
                | MalformedDocumentException
                | Refusal refusal) {
            note(refused, String.valueOf(refusal.getMessage()).replace("job " + id + " ", ""));
        }
    }

    private synchronized void note(Map<String, Long> where, String what) {
        boolean isNamed = where.containsKey(what) || where.size() < MOST_REASONS;
        where.merge(isNamed ? what : "other", 1L, Long::sum);
    }

    private synchronized void end(@Nullable String why) {
        problem = why;
        done = true;
    }
}

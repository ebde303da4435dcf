package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Progress;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.RunInterceptor;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.SnoozeException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a job, from claim to finish: call the handler, judge how it ended, write that down. Its thread calls {@link
 * #call}; {@link #stop} comes from any thread.
 */
public final class Run implements RunControl {
    private static final Logger log = LoggerFactory.getLogger(Run.class);
    private static final Logger JOB_LOG = LoggerFactory.getLogger("couchjobs.job");
    private static final int LONGEST_STACK = 8_000;
    private static final int LONGEST_MESSAGE = 2_000;

    private final LeasedJob claim;
    private final Handler<?> handler;
    private final Tools tools;
    private final RunLog runLog;
    private @Nullable Thread thread;
    private JobContext.@Nullable StopReason stopReason;
    private String whyCancelled = "cancelled while it ran";
    private boolean handlerIsDone;
    /** Between two tries to write how it ended. */
    private boolean isPausing;

    private @Nullable Attempt<?> present;
    private volatile Duration timeout;
    private volatile long graceUntilNanos;

    Run(LeasedJob claim, Handler<?> handler, Tools tools, Duration timeout) {
        this.claim = claim;
        this.handler = handler;
        this.tools = tools;
        this.runLog = new RunLog(claim, tools.logs, tools.clock);
        this.timeout = timeout;
        this.graceUntilNanos = claim.confirmedNanos();
    }

    LeasedJob claim() {
        return claim;
    }

    /** The timeout of the job's type, as last heard of. */
    Duration timeout() {
        return timeout;
    }

    /** A shorter one leaves half of it to renew the lease: the monitors count anew from when they hear of it. */
    Duration timeout(Duration newest, long nanos) {
        if (newest.compareTo(timeout) < 0) {
            graceUntilNanos = nanos + newest.toNanos() / 2;
        }
        timeout = newest;
        return newest;
    }

    boolean isInGrace(long nanos) {
        return graceUntilNanos - nanos > 0;
    }

    @Override
    public synchronized Optional<JobContext.StopReason> stopReason() {
        return Optional.ofNullable(stopReason);
    }

    /** Makes the handler stop. Losing the job overrides every other reason. */
    synchronized void stop(JobContext.StopReason reason) {
        if (stopReason == null || reason == JobContext.StopReason.HALTED) {
            stopReason = reason;
        }
        if (thread != null && (!handlerIsDone || (isPausing && reason == JobContext.StopReason.HALTED))) {
            thread.interrupt();
        }
    }

    /** Cancels the job unless something else stops it already. */
    synchronized void cancel(String why) {
        if (stopReason == null) {
            whyCancelled = why;
        }
        stop(JobContext.StopReason.CANCELLED);
    }

    /** Whether the handler is done, so that all that may still come is the write that says how it ended. */
    synchronized boolean isEnding() {
        return handlerIsDone;
    }

    /**
     * Calls the handler and writes how it ended.
     *
     * @param whenDone called between the two, once
     */
    RunReport call(Runnable whenDone) {
        int attempt = claim.job().attempt();
        long startedNanos = tools.clock.nanos(); // not when it was claimed: that may have been long ago
        Ending ending;
        try {
            ending = judge();
        } finally {
            end(); // whatever a handler may throw, even one that cannot be asked for its message
            whenDone.run();
        }
        Duration took = Duration.ofNanos(tools.clock.nanos() - startedNanos);
        RunReport.Outcome outcome = write(ending);
        if (outcome == RunReport.Outcome.HALTED) {
            runLog.abandon();
        }
        if (outcome == RunReport.Outcome.FAILED && present != null && ending.thrown() != null) {
            present.exhausted(ending.thrown());
        }
        return new RunReport(claim.id(), attempt, outcome, took, ending.problem());
    }

    /** Before a job that was claimed ahead runs; one that is cancelled or lost meanwhile does not. */
    void startUnlessStopped() {
        Backoff backoff = backoff();
        while (stopReason().isEmpty()) {
            try {
                claim.start();
                heed();
                return;
            } catch (HaltException lost) {
                stop(JobContext.StopReason.HALTED);
            } catch (CouchJobsException trouble) {
                warnOnce(backoff, "cannot start {}, trying again until its lease runs out: {}", trouble);
                if (!backoff.pauseUnlessInterrupted()) {
                    stop(JobContext.StopReason.HALTED);
                }
            }
        }
    }

    @Override
    public void heed() {
        if (claim.job().isCancelRequested()) {
            stop(JobContext.StopReason.CANCELLED);
        }
    }

    @Override
    public void log(String line) {
        JOB_LOG.info("{}: {}", claim.id(), line);
        runLog.add(line);
        tools.progressWriter.tell(this);
    }

    @Override
    public void progress(Progress progress) {
        claim.progress(progress);
        tools.progressWriter.tell(this);
    }

    boolean hasSomethingToTell() {
        return claim.hasProgressToTell() || runLog.hasLinesToWrite();
    }

    void tell() {
        try {
            runLog.flush();
            claim.writeProgress();
            heed();
        } catch (HaltException lost) {
            stop(JobContext.StopReason.HALTED);
        } catch (RuntimeException trouble) {
            log.debug("what {} has to tell is not stored yet: {}", claim.id(), trouble.toString());
        }
    }

    /** Calls the handler. Whatever it throws ends its own job, nothing else. */
    private Ending judge() {
        begin();
        if (claim.job().status() == JobStatus.SCHEDULED || stopReason().isPresent()) {
            end();
            return stopped(
                    stopReason().orElse(JobContext.StopReason.CLOSING),
                    new IllegalStateException("stopped before it started"));
        }
        try {
            readData();
            present = handler.attempt(new RunContext(claim, this));
            return finished(present.run(tools.interceptors, this::stopReason));
        } catch (Throwable thrown) {
            return failedIn(thrown);
        } finally {
            end();
        }
    }

    /** Large data is read by now; that the database is away is not the job's fault. */
    private void readData() {
        Backoff backoff = backoff();
        while (claim.job().hasAttachedData()) {
            try {
                var unused = claim.data();
                return;
            } catch (CouchException trouble) {
                warnOnce(backoff, "cannot read the data of {}, trying again until its lease runs out: {}", trouble);
                if (!backoff.pauseUnlessInterrupted()) {
                    throw trouble;
                }
            }
        }
    }

    /** An exception may not even be able to tell its message. */
    private Ending failedIn(Throwable thrown) {
        try {
            return failed(thrown);
        } catch (RuntimeException | Error mute) {
            String message = thrown.getClass().getName() + ", whose message cannot be read";
            return Ending.failure(JobError.Kind.FAILED, message, null, false).because(thrown);
        }
    }

    private synchronized void begin() {
        thread = Thread.currentThread();
        if (stopReason != null) {
            thread.interrupt();
        }
    }

    /** From here on an interrupt would hit our own writing: clear it, and let none come. */
    private synchronized void end() {
        handlerIsDone = true;
        Thread.interrupted();
    }

    private Ending finished(@Nullable Object result) {
        if (stopReason()
                .filter(reason -> reason == JobContext.StopReason.HALTED)
                .isPresent()) {
            return Ending.halted("the job was lost while it ran; its result is not stored");
        }
        try {
            JsonNode json = result == null ? null : JobData.tree(result);
            return new Ending(null, job -> job.finish(json));
        } catch (InvalidJobDataException unwritable) {
            return Ending.failure(JobError.Kind.FAILED, "the result " + unwritable.getMessage(), null, true);
        }
    }

    private Ending failed(Throwable thrown) {
        if (thrown instanceof HaltException halt && halt.jobId().equals(claim.id())) {
            return Ending.halted(String.valueOf(halt.getMessage()));
        }
        Optional<JobContext.StopReason> stopped = stopReason();
        if (stopped.isPresent()) {
            return stopped(stopped.get(), thrown);
        }
        if (thrown instanceof SnoozeException snooze) {
            return new Ending(snooze.getMessage(), job -> job.snooze(snooze.delay()));
        }
        boolean permanent = thrown instanceof PermanentJobException || thrown instanceof InvalidJobDataException;
        return Ending.failure(JobError.Kind.FAILED, describe(thrown), stackOf(thrown), permanent)
                .because(thrown);
    }

    private Ending stopped(JobContext.StopReason reason, Throwable thrown) {
        return switch (reason) {
            case HALTED -> Ending.halted("the job was lost while it ran");
            case CANCELLED -> cancelled();
            case TOO_SLOW ->
                Ending.failure(JobError.Kind.KILLED, "the run was stopped at its time limit", stackOf(thrown), false)
                        .because(thrown);
            case CLOSING -> new Ending("the worker closed", LeasedJob::release);
        };
    }

    private synchronized Ending cancelled() {
        String why = whyCancelled;
        return new Ending(why, job -> job.acknowledgeCancel(why));
    }

    /** Retries the write, not the job: until it is stored, or the job is lost. */
    private RunReport.Outcome write(Ending ending) {
        Backoff backoff = backoff();
        Ending next = ending;
        while (stopReason()
                .filter(reason -> reason == JobContext.StopReason.HALTED)
                .isEmpty()) {
            try {
                runLog.flushAll();
                return outcome(next.write.apply(claim));
            } catch (HaltException lost) {
                log.warn("{}", lost.getMessage());
                return RunReport.Outcome.HALTED;
            } catch (WriteRefusedException refused) {
                next = afterRefusal(next, refused);
            } catch (CouchJobsException trouble) {
                warnOnce(backoff, "cannot store how {} ended, trying again until its lease runs out: {}", trouble);
            }
            pause(backoff);
        }
        log.warn("{} was lost before it could be stored how it ended; another worker will run it", claim.id());
        return RunReport.Outcome.HALTED;
    }

    private Backoff backoff() {
        return new Backoff(tools.environment, Duration.ofMillis(100), Duration.ofSeconds(5));
    }

    /** Only the loss of the job cuts it. */
    private void pause(Backoff backoff) {
        if (beginPause()) {
            var unused = backoff.pauseUnlessInterrupted();
            endPause();
        }
    }

    private synchronized boolean beginPause() {
        isPausing = stopReason != JobContext.StopReason.HALTED;
        return isPausing;
    }

    private synchronized void endPause() {
        isPausing = false;
        Thread.interrupted();
    }

    /** An end that the database refuses becomes a failure; a failure that it refuses is given up. */
    private static Ending afterRefusal(Ending ending, WriteRefusedException refused) {
        if (ending.isRefusal) {
            return Ending.halted("the database refuses to store how the job ended: " + refused.getMessage());
        }
        return Ending.failure(JobError.Kind.FAILED, "the result was refused: " + refused.getMessage(), null, true)
                .asRefusal();
    }

    private RunReport.Outcome outcome(@Nullable Job stored) {
        if (stored == null) {
            return RunReport.Outcome.HALTED;
        }
        return switch (stored.status()) {
            case SUCCESS -> RunReport.Outcome.SUCCEEDED;
            case STUCK -> RunReport.Outcome.RETRIED;
            case FAILED -> RunReport.Outcome.FAILED;
            case CANCELLED -> RunReport.Outcome.CANCELLED;
            case WAITING, SCHEDULED, RUNNING -> RunReport.Outcome.RELEASED;
        };
    }

    /** The database may be away for an hour. */
    private void warnOnce(Backoff backoff, String what, CouchJobsException trouble) {
        if (backoff.attempts() == 0) {
            log.warn(what, claim.id(), trouble.getMessage());
        } else {
            log.debug(what, claim.id(), trouble.getMessage());
        }
    }

    private static String describe(Throwable thrown) {
        String message = thrown.getMessage();
        String name = thrown.getClass().getName();
        boolean speaksForItself = thrown instanceof PermanentJobException || hasNoStack(thrown);
        String text = message == null ? name : speaksForItself ? message : name + ": " + message;
        return shorten(text, LONGEST_MESSAGE);
    }

    private static @Nullable String stackOf(Throwable thrown) {
        if (hasNoStack(thrown)) {
            return null;
        }
        StringWriter stack = new StringWriter();
        thrown.printStackTrace(new PrintWriter(stack, true));
        return shorten(stack.toString(), LONGEST_STACK);
    }

    /** An exception made without a stack trace is a message, and where it was thrown is of no interest. */
    private static boolean hasNoStack(Throwable thrown) {
        return thrown.getStackTrace().length == 0;
    }

    private static String shorten(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest) + "...";
    }

    /** The collaborators of runs, beside their claims. Immutable. */
    record Tools(
            ProgressWriter progressWriter,
            JobLogs logs,
            ServerClock clock,
            Environment environment,
            List<RunInterceptor> interceptors) {}

    /** How a run ended, and the write that says so; the write returns null when there is nothing to write. */
    private record Ending(
            @Nullable String problem,
            Function<LeasedJob, @Nullable Job> write,
            @Nullable Throwable thrown,
            boolean isRefusal) {
        Ending(@Nullable String problem, Function<LeasedJob, @Nullable Job> write) {
            this(problem, write, null, false);
        }

        static Ending halted(String problem) {
            return new Ending(problem, job -> null);
        }

        static Ending failure(JobError.Kind kind, String message, @Nullable String stack, boolean permanent) {
            return new Ending(message, job -> job.fail(kind, message, stack, permanent));
        }

        Ending because(Throwable cause) {
            return new Ending(problem, write, cause, isRefusal);
        }

        Ending asRefusal() {
            return new Ending(problem, write, thrown, true);
        }
    }
}

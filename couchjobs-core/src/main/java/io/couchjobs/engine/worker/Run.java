package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.claim.Note;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.RunReport;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a job, from claim to finish: calls the handler, determines how the run ended, and writes its end. Any thread may
 * call {@link #stop}. All other methods are called by one thread at a time.
 */
public final class Run implements LeaseHolder, ProgressWriter.Source {
    private static final Logger log = LoggerFactory.getLogger(Run.class);
    private static final Logger JOB_LOG = LoggerFactory.getLogger("couchjobs.job");

    private final LeasedJob claim;
    private final Handler<?> handler;
    private final RunTools tools;
    private final RunLog runLog;
    private @Nullable Thread thread;
    private JobContext.@Nullable StopReason stopReason;
    private volatile Runnable onStop = () -> {};
    private final Set<JobContext.StopReason> told = EnumSet.noneOf(JobContext.StopReason.class);
    private volatile String whyCancelled = "cancelled while it ran";
    private boolean handlerIsDone;
    /** The stop reasons that interrupt the thread at present. */
    private Set<JobContext.StopReason> interrupting = EnumSet.allOf(JobContext.StopReason.class);

    private @Nullable Attempt<?> present;
    private Ending ending = Ending.halted("it has not begun");
    private int attempt;
    private Duration took = Duration.ZERO;

    Run(LeasedJob claim, Handler<?> handler, RunTools tools) {
        this.claim = claim;
        this.handler = handler;
        this.tools = tools;
        this.runLog = new RunLog(claim, tools.logs(), tools.parts().clock());
    }

    @Override
    public LeasedJob claim() {
        return claim;
    }

    /** {@return why the handler is to stop; empty while it may continue} */
    synchronized Optional<JobContext.StopReason> stopReason() {
        return Optional.ofNullable(stopReason);
    }

    @Override
    public synchronized boolean isHalted() {
        return stopReason == JobContext.StopReason.HALTED;
    }

    @Override
    public void halt() {
        stop(JobContext.StopReason.HALTED);
    }

    /**
     * Asks the handler to stop, by an interrupt and by {@link JobContext#stopReason}. The loss of the job overrides all other
     * reasons. A handler that ignores the request is not killed; its result is not stored. Each reason interrupts the thread
     * only once, because a hook or the clean-up may be running when the same reason comes again.
     */
    void stop(JobContext.StopReason reason) {
        interruptFor(reason);
        onStop.run();
    }

    private synchronized void interruptFor(JobContext.StopReason reason) {
        if (stopReason == null || reason == JobContext.StopReason.HALTED) {
            stopReason = reason;
        }
        if (told.add(reason) && thread != null && interrupting.contains(reason)) {
            thread.interrupt();
        }
    }

    /** Sets a task that runs each time the run is stopped, and at once if the run is already stopped. */
    void whenStopped(Runnable stopped) {
        onStop = stopped;
        stopReason().ifPresent(reason -> stopped.run());
    }

    /** Cancels the job unless another reason already stops the run. */
    void cancel(String why) {
        if (stopReason().isEmpty()) {
            whyCancelled = why;
        }
        stop(JobContext.StopReason.CANCELLED);
    }

    /** {@return whether the handler is done, so that at most the write of the run's end remains} */
    synchronized boolean isEnding() {
        return handlerIsDone;
    }

    /** Calls the handler. {@link #sendEnd} or {@link #writeEnd} then stores how the run ended. */
    void call() {
        attempt = claim.job().attempt();
        long began = tools.parts().clock().nanos(); // not the time of the claim, which may have been long ago
        try {
            ending = judge();
        } finally {
            end(); // even if the handler's exception throws when it is asked for its message
        }
        took = Duration.ofNanos(tools.parts().clock().nanos() - began);
    }

    /**
     * Sends the end of the run without waiting for the answer.
     *
     * @return empty when {@link #writeEnd} must write the end. Otherwise a future that is completed in the lane; its value is
     *     the report, or empty when {@link #writeEnd} must repeat the write
     */
    Optional<CompletableFuture<Optional<RunReport>>> sendEnd(Lane lane) {
        if (isHalted()) {
            return Optional.empty();
        }
        runLog.flushAll();
        return ending.send(claim, lane)
                .map(answer -> answer.thenApply(stored -> stored.map(job -> report(Ending.outcome(job)))));
    }

    /**
     * Writes the end of the run, and waits until it is stored or the job is lost.
     *
     * @param wasSent whether the end was sent before, and may be stored even if the job seems to be lost
     */
    RunReport writeEnd(boolean wasSent) {
        RunReport.Outcome outcome = write(wasSent);
        if (outcome == RunReport.Outcome.HALTED) {
            runLog.abandon();
        }
        if (outcome == RunReport.Outcome.FAILED && present != null && ending.thrown() != null) {
            interruptedBy(EnumSet.of(JobContext.StopReason.CLOSING));
            present.exhausted(ending.thrown());
            interruptedBy(EnumSet.noneOf(JobContext.StopReason.class));
        }
        return report(outcome);
    }

    private RunReport report(RunReport.Outcome outcome) {
        return new RunReport(claim.id(), attempt, outcome, took, ending.problem());
    }

    /** Starts a job that was claimed ahead. A job that was cancelled or lost since its claim is not started. */
    void startUnlessStopped() {
        Backoff backoff = backoff();
        while (stopReason().isEmpty() && !claim.isOnlyToEnd()) {
            try {
                claim.start();
                heed();
                return;
            } catch (HaltException lost) {
                stop(JobContext.StopReason.HALTED);
            } catch (WriteRefusedException refused) {
                log.warn("{} is not run, and its lease runs out: {}", claim.id(), refused.getMessage());
                stop(JobContext.StopReason.HALTED);
            } catch (CouchJobsException trouble) {
                warnOnce(backoff, "cannot start {}, trying again until its lease runs out: {}", trouble);
                if (!backoff.pauseUnlessInterrupted()) {
                    stop(JobContext.StopReason.HALTED);
                }
            }
        }
    }

    /** Stops the handler if the job, as last read, is to be cancelled. The feed may not have reported the cancel request yet. */
    void heed() {
        if (claim.job().isCancelRequested()) {
            stop(JobContext.StopReason.CANCELLED);
        }
    }

    void log(String line) {
        JOB_LOG.info("{}: {}", claim.id(), line);
        runLog.add(line);
        tools.progressWriter().tell(this);
    }

    /** Records the progress of the run, to be stored soon. */
    void tell(Note note) {
        claim.tell(note);
        tools.progressWriter().tell(this);
    }

    @Override
    public boolean hasSomethingToTell() {
        return !isHalted() && (claim.hasSomethingToTell() || runLog.hasLinesToWrite());
    }

    @Override
    public void tell() {
        try {
            runLog.flush();
            claim.writeNote();
            heed();
        } catch (HaltException lost) {
            stop(JobContext.StopReason.HALTED);
        } catch (RuntimeException trouble) {
            log.debug("what {} has to tell is not stored yet: {}", claim.id(), trouble.toString());
        }
    }

    /** Calls the handler and determines how the run ended. An exception of the handler ends only the handler's own job. */
    private Ending judge() {
        begin();
        try {
            if (claim.isOnlyToEnd() && !isHalted()) {
                return Ending.withoutRun(claim.job());
            }
            if (claim.job().status() == JobStatus.SCHEDULED || stopReason().isPresent()) {
                return Ending.stopped(
                        stopReason().orElse(JobContext.StopReason.CLOSING),
                        whyCancelled,
                        new IllegalStateException("stopped before it started"));
            }
            new AttachedDataReading(claim, tools.parts().clock(), backoff()).read();
            return watched();
        } catch (Throwable thrown) {
            return failedIn(thrown);
        } finally {
            end();
        }
    }

    private Ending watched() throws Exception {
        Optional<Lane.Planned> limit =
                tools.timeLimits().watch(claim.job(), () -> stop(JobContext.StopReason.TOO_SLOW));
        try {
            present = handler.attempt(new RunContext(claim, this), this::tell, tools.limits(), tools.timeLimits());
            return finished(present.run(tools.options().interceptors(), this::stopReason));
        } finally {
            limit.ifPresent(Lane.Planned::cancel);
        }
    }

    /** Determines how a failed run ended. Even the reading of the exception's message may fail. */
    private Ending failedIn(Throwable thrown) {
        try {
            return failed(thrown);
        } catch (RuntimeException | Error mute) {
            return Ending.mute(thrown);
        }
    }

    private synchronized void begin() {
        thread = Thread.currentThread();
        if (stopReason != null) {
            thread.interrupt();
        }
    }

    /** Clears the interrupt and prevents further ones, because an interrupt would now hit the write of the run's end. */
    private synchronized void end() {
        handlerIsDone = true;
        interruptedBy(EnumSet.noneOf(JobContext.StopReason.class));
    }

    private synchronized void interruptedBy(Set<JobContext.StopReason> reasons) {
        thread = Thread.currentThread();
        interrupting = reasons;
        Thread.interrupted();
    }

    private Ending finished(@Nullable Object result) {
        return isHalted()
                ? Ending.halted("the job was lost while it ran; its result is not stored")
                : Ending.finished(result);
    }

    private Ending failed(Throwable thrown) {
        if (thrown instanceof HaltException halt && halt.jobId().equals(claim.id())) {
            return Ending.halted(String.valueOf(halt.getMessage()));
        }
        return stopReason()
                .map(reason -> Ending.stopped(reason, whyCancelled, thrown))
                .orElseGet(() -> Ending.failed(thrown));
    }

    /** Retries the write, not the job: until it is stored, or the job is lost. */
    private RunReport.Outcome write(boolean wasSent) {
        Backoff backoff = backoff();
        boolean isRefused = false;
        for (boolean mayBeStored = wasSent; mayBeStored || !isHalted(); mayBeStored = false) {
            try {
                runLog.flushAll();
                return ending.store(claim);
            } catch (HaltException lost) {
                log.warn("{}", lost.getMessage());
                return RunReport.Outcome.HALTED;
            } catch (WriteRefusedException refused) {
                ending = isRefused ? Ending.refusedAgain(refused) : ending.refused(refused);
                isRefused = true;
            } catch (CouchJobsException trouble) {
                warnOnce(backoff, "cannot store how {} ended, trying again until its lease runs out: {}", trouble);
            }
            pause(backoff);
        }
        log.warn("{} was lost before its end could be stored; another worker will run the job", claim.id());
        return RunReport.Outcome.HALTED;
    }

    private Backoff backoff() {
        return new Backoff(tools.parts().store().environment(), Duration.ofMillis(100), Duration.ofSeconds(5));
    }

    /** Pauses between two attempts of the write. Only the loss of the job ends the pause early. */
    private void pause(Backoff backoff) {
        if (beginPause()) {
            var unused = backoff.pauseUnlessInterrupted();
            interruptedBy(EnumSet.noneOf(JobContext.StopReason.class));
        }
    }

    private synchronized boolean beginPause() {
        interruptedBy(EnumSet.of(JobContext.StopReason.HALTED));
        return stopReason != JobContext.StopReason.HALTED;
    }

    /** Warns once, because the database may be away for an hour. */
    private void warnOnce(Backoff backoff, String what, CouchJobsException trouble) {
        if (backoff.attempts() == 0) {
            log.warn(what, claim.id(), trouble.getMessage());
        } else {
            log.debug(what, claim.id(), trouble.getMessage());
        }
    }
}

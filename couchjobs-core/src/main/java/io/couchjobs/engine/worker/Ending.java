package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.document.StoredText;
import io.couchjobs.engine.lifecycle.EndAs;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobError;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.SnoozeException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended, and the write that says so. The write returns null when there is nothing to write. Immutable.
 *
 * @param write writes it, and waits
 * @param send sends it without waiting, if that can be; null for an end that is always waited for
 * @param thrown why the run failed: what the handler threw, or why its result cannot be stored
 */
record Ending(
        @Nullable String problem,
        Function<LeasedJob, @Nullable Job> write,
        @Nullable BiFunction<LeasedJob, Lane, Optional<CompletableFuture<Optional<Job>>>> send,
        @Nullable Throwable thrown) {
    private static final int LONGEST_STACK = 8_000;
    private static final int LONGEST_MESSAGE = 2_000;

    static Ending finished(@Nullable Object result) {
        try {
            JsonNode json = result == null ? null : JobData.tree(result);
            return new Ending(null, job -> job.finish(json), (job, lane) -> job.finishBehind(json, lane), null);
        } catch (InvalidJobDataException unwritable) {
            return failure(JobError.Kind.FAILED, "the result " + unwritable.getMessage(), null, true, unwritable);
        }
    }

    /** The database does not accept the end: the run has failed. */
    Ending refused(WriteRefusedException refused) {
        String message = "the result was refused: " + refused.getMessage();
        return new Ending(
                message,
                job -> job.failWithoutNote(JobError.Kind.FAILED, message),
                null,
                thrown == null ? refused : thrown);
    }

    /** The database does not even accept that the run has failed. */
    static Ending refusedAgain(WriteRefusedException refused) {
        return halted("the database refuses to store how the job ended: " + refused.getMessage());
    }

    static Ending halted(String problem) {
        return new Ending(problem, job -> null, null, null);
    }

    /** The handler threw this, though nobody had told it to stop. */
    static Ending failed(Throwable thrown) {
        if (thrown instanceof SnoozeException snooze) {
            return new Ending(snooze.getMessage(), job -> job.snooze(snooze.delay()), null, null);
        }
        boolean permanent = thrown instanceof PermanentJobException || thrown instanceof InvalidJobDataException;
        return failure(JobError.Kind.FAILED, describe(thrown), stackOf(thrown), permanent, thrown);
    }

    /** The handler threw an exception that fails when it is asked for its message. */
    static Ending mute(Throwable thrown) {
        String message = thrown.getClass().getName() + ", whose message cannot be read";
        return failure(JobError.Kind.FAILED, message, null, false, thrown);
    }

    /** The job was claimed only to be ended. */
    static Ending withoutRun(Job job) {
        return new Ending(EndAs.reason(job), LeasedJob::endWithoutRun, null, null);
    }

    /** The handler threw this after it was told to stop. */
    static Ending stopped(JobContext.StopReason reason, String whyCancelled, Throwable thrown) {
        return switch (reason) {
            case HALTED -> halted("the job was lost while it ran");
            case CANCELLED -> new Ending(whyCancelled, job -> job.acknowledgeCancel(whyCancelled), null, null);
            case TOO_SLOW ->
                failure(JobError.Kind.KILLED, "the run was stopped at its time limit", stackOf(thrown), false, thrown);
            case CLOSING -> new Ending("the worker closed", LeasedJob::release, null, null);
        };
    }

    private static Ending failure(
            JobError.Kind kind, String message, @Nullable String stack, boolean permanent, @Nullable Throwable thrown) {
        return new Ending(message, job -> job.fail(kind, message, stack, permanent), null, thrown);
    }

    /** Writes it, once. */
    RunReport.Outcome store(LeasedJob claim) {
        Job stored = write.apply(claim);
        return stored == null ? RunReport.Outcome.HALTED : outcome(stored);
    }

    /** Sends it without waiting; see {@link LeasedJob#finishBehind}. Empty also for an end that is always waited for. */
    Optional<CompletableFuture<Optional<Job>>> send(LeasedJob claim, Lane lane) {
        return send == null ? Optional.empty() : send.apply(claim, lane);
    }

    static RunReport.Outcome outcome(Job stored) {
        return switch (stored.status()) {
            case SUCCESS -> RunReport.Outcome.SUCCEEDED;
            case STUCK -> RunReport.Outcome.RETRIED;
            case FAILED -> RunReport.Outcome.FAILED;
            case CANCELLED -> RunReport.Outcome.CANCELLED;
            case WAITING, SCHEDULED, RUNNING -> RunReport.Outcome.RELEASED;
        };
    }

    static String describe(Throwable thrown) {
        String message = thrown.getMessage();
        String name = thrown.getClass().getName();
        boolean speaksForItself = thrown instanceof PermanentJobException || hasNoStack(thrown);
        String text = message == null ? name : speaksForItself ? message : name + ": " + message;
        return StoredText.of(text, LONGEST_MESSAGE);
    }

    private static @Nullable String stackOf(Throwable thrown) {
        if (hasNoStack(thrown)) {
            return null;
        }
        StringWriter stack = new StringWriter();
        thrown.printStackTrace(new PrintWriter(stack, true));
        return StoredText.of(stack.toString(), LONGEST_STACK);
    }

    /** An exception made without a stack trace is a message, and where it was thrown is of no interest. */
    private static boolean hasNoStack(Throwable thrown) {
        return thrown.getStackTrace().length == 0;
    }
}

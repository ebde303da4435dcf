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
 * The end of a run, and the write that stores it. The write returns null when there is nothing to write. Immutable.
 *
 * @param write writes the end, and waits
 * @param send sends the end without waiting; null for an end that is always waited for
 * @param thrown why the run failed: the exception of the handler, or the reason why its result cannot be stored
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

    /** {@return the failure of the run, because the database refused its end} */
    Ending refused(WriteRefusedException refused) {
        String message = "the result was refused: " + refused.getMessage();
        return new Ending(
                message,
                job -> job.failWithoutNote(JobError.Kind.FAILED, message),
                null,
                thrown == null ? refused : thrown);
    }

    /** {@return an end that writes nothing, because the database refuses even the failure of the run} */
    static Ending refusedAgain(WriteRefusedException refused) {
        return halted("the database refuses to store how the job ended: " + refused.getMessage());
    }

    static Ending halted(String problem) {
        return new Ending(problem, job -> null, null, null);
    }

    /** {@return the end of a run whose handler threw an exception without having been stopped} */
    static Ending failed(Throwable thrown) {
        if (thrown instanceof SnoozeException snooze) {
            return new Ending(snooze.getMessage(), job -> job.snooze(snooze.delay()), null, null);
        }
        boolean permanent = thrown instanceof PermanentJobException || thrown instanceof InvalidJobDataException;
        return failure(JobError.Kind.FAILED, describe(thrown), stackOf(thrown), permanent, thrown);
    }

    /** {@return the end of a run whose handler threw an exception that fails when asked for its message} */
    static Ending mute(Throwable thrown) {
        String message = thrown.getClass().getName() + ", whose message cannot be read";
        return failure(JobError.Kind.FAILED, message, null, false, thrown);
    }

    /** {@return the end of a job that was claimed only to be ended} */
    static Ending withoutRun(Job job) {
        return new Ending(EndAs.reason(job), LeasedJob::endWithoutRun, null, null);
    }

    /** {@return the end of a run whose handler threw an exception after it was stopped} */
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

    /** Writes the end once. */
    RunReport.Outcome store(LeasedJob claim) {
        Job stored = write.apply(claim);
        return stored == null ? RunReport.Outcome.HALTED : outcome(stored);
    }

    /** Sends the end without waiting; see {@link LeasedJob#finishBehind}. Returns empty for an end that is always waited for. */
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

    /**
     * Returns whether an exception was made without a stack trace. Its message then says enough, and the place of the throw is
     * irrelevant.
     */
    private static boolean hasNoStack(Throwable thrown) {
        return thrown.getStackTrace().length == 0;
    }
}

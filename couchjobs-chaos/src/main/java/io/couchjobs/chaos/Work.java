package io.couchjobs.chaos;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.couchjobs.chaos.Entry.What;
import io.couchjobs.job.JobError;
import io.couchjobs.worker.JobContext;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The handlers of all jobs. They note what they observe, and take the planned time. Thread-safe. */
final class Work {
    private static final long SLICE_MILLIS = 200;

    private static final ThreadLocal<Claim> LAST = new ThreadLocal<>();

    private final Journal journal;

    /**
     * The data of a job.
     *
     * @param millis how long the job takes
     * @param failures how many runs fail before one succeeds
     * @param stubborn whether the handler ignores interruption and the loss of its job
     * @param rev the revision of the document from which the job was made; null without a document
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Task(
            long millis,
            int failures,
            boolean stubborn,
            @Nullable String rev) {}

    /** The claim of a run. Also the result of a successful run. */
    record Claim(String token, long fence) {}

    Work(Journal journal) {
        this.journal = journal;
    }

    /** {@return the claim of this thread's last run; empty when it was already returned} */
    static Optional<Claim> last() {
        Optional<Claim> claim = Optional.ofNullable(LAST.get());
        LAST.remove();
        return claim;
    }

    @Nullable
    Object run(Task task, JobContext context) throws InterruptedException {
        if (context.item().isPresent()) {
            return runItem(task, context, Long.toString(context.item().getAsLong()));
        }
        Claim claim = new Claim(context.token(), context.fence());
        LAST.set(claim);
        journal.note(What.BEGIN, context, "attempt " + context.attempt());
        String how = "failed";
        try {
            work(task, context);
            if (failures(context) < task.failures()) {
                throw new Failure(claim);
            }
            how = "done";
            return task.rev() == null
                    ? Map.of("token", claim.token(), "fence", claim.fence())
                    : Map.of("token", claim.token(), "fence", claim.fence(), "rev", task.rev());
        } catch (InterruptedException stopped) {
            how = "stopped " + context.stopReason().map(Enum::name).orElse("");
            throw stopped;
        } finally {
            journal.note(What.END, context, how);
        }
    }

    /** Runs an item. The first item notes the begin of its chunk's run. */
    private @Nullable Object runItem(Task task, JobContext context, String index) throws InterruptedException {
        Claim claim = new Claim(context.token(), context.fence());
        if (!claim.equals(LAST.get())) {
            LAST.set(claim);
            journal.note(What.BEGIN, context, "chunk");
        }
        journal.note(What.ITEMS_STORED, context, ArrayRules.states(context.job()));
        journal.note(What.ITEM_BEGIN, context, index);
        work(task, context);
        if (context.attempt() <= task.failures()) {
            throw new Failure(claim);
        }
        journal.note(What.ITEM_DONE, context, index);
        return null;
    }

    /** Works in slices of time, so that a process that was frozen continues where it stopped. */
    private void work(Task task, JobContext context) throws InterruptedException {
        Witness witness = new Witness(journal, context, task.stubborn());
        for (long left = task.millis(); left > 0; left -= SLICE_MILLIS) {
            witness.testify();
            try {
                Surroundings.pass(Math.min(left, SLICE_MILLIS));
            } catch (InterruptedException stop) {
                if (!task.stubborn()) {
                    throw stop;
                }
            }
        }
        witness.testify();
    }

    private static long failures(JobContext context) {
        return context.job().errors().stream()
                .filter(error -> error.kind() == JobError.Kind.FAILED)
                .count();
    }

    /** The exception of a failing handler. The message names the claim. Without a stack trace, to keep stored errors small. */
    static final class Failure extends RuntimeException {
        static final String PREFIX = "as planned by ";
        private static final long serialVersionUID = 1L;

        Failure(Claim claim) {
            super(message(claim.token(), claim.fence()), null, false, false);
        }

        static String message(String token, long fence) {
            return PREFIX + token + " fence " + fence;
        }
    }
}

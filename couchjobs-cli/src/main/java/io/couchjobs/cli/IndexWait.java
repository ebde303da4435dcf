package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.couch.IndexBeingBuiltException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for an answer while an index is being built, and shows the progress. The server gives up each question after about a
 * minute, but goes on building. The question is then asked again.
 */
final class IndexWait {
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final Duration GLANCE = Duration.ofSeconds(2);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final JobQueue queue;
    private final ProgressLine line;
    private final Duration longest;

    IndexWait(JobQueue queue, ProgressLine line) {
        this(queue, line, LONGEST);
    }

    IndexWait(JobQueue queue, ProgressLine line, Duration longest) {
        this.queue = queue;
        this.line = line;
        this.longest = longest;
    }

    /** Asks until the index is built. Throws what the question throws, or a {@link CommandException} when the time is over. */
    <T> T ask(Callable<T> question) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor(IndexWait::daemon);
        try {
            return await(thread.submit(() -> untilBuilt(question)));
        } finally {
            thread.shutdownNow();
            line.clear();
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "couchjobs-question");
        thread.setDaemon(true);
        return thread;
    }

    private <T> T untilBuilt(Callable<T> question) throws Exception {
        while (true) {
            try {
                return question.call();
            } catch (IndexBeingBuiltException notYet) {
                Thread.sleep(PAUSE.toMillis());
            }
        }
    }

    private <T> T await(Future<T> answer) throws Exception {
        long began = System.nanoTime();
        while (true) {
            try {
                return answer.get(GLANCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof Exception problem ? problem : failed;
            } catch (TimeoutException notYet) {
                Optional<String> state = queue.operations().building().map(IndexBeingBuiltException.Progress::text);
                state.ifPresent(line::update);
                if (state.isPresent() && System.nanoTime() - began > longest.toNanos()) {
                    throw new CommandException(
                            ExitCode.TIMED_OUT,
                            "the server is still " + state.get() + "; it goes on with that, so ask again later");
                }
            }
        }
    }
}

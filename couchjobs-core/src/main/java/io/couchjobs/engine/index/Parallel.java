package io.couchjobs.engine.index;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Asks the database many questions, some at the same time. */
public final class Parallel {
    private static final int AT_ONCE = 8;

    private Parallel() {}

    /** {@return the answers, in the order of the questions} */
    public static <Q, A> List<A> ask(Collection<Q> questions, Function<Q, A> ask) {
        if (questions.size() <= 1) {
            return questions.stream().map(ask).toList();
        }
        ExecutorService threads = Executors.newFixedThreadPool(Math.min(AT_ONCE, questions.size()));
        try {
            List<Future<A>> answers = questions.stream()
                    .map(question -> threads.submit(() -> ask.apply(question)))
                    .toList();
            return answers.stream().map(Parallel::ended).toList();
        } finally {
            threads.shutdownNow();
        }
    }

    private static <A> A ended(Future<A> answer) {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException problem ? problem : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the database was asked", e);
        }
    }
}

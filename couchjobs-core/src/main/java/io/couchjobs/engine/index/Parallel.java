package io.couchjobs.engine.index;

import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Sends many requests to the database, several at the same time. */
public final class Parallel {
    private static final int AT_ONCE = 8;
    /** Each request has a shorter limit of its own. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private Parallel() {}

    /**
     * Asks all questions, and waits for the answers.
     *
     * @return the answers, in the order of the questions
     * @throws IllegalStateException when interrupted meanwhile
     */
    public static <Q, A> List<A> ask(Environment environment, Collection<Q> questions, Function<Q, A> ask) {
        if (questions.size() <= 1) {
            return questions.stream().map(ask).toList();
        }
        try (Lane lane = environment.lane("couchjobs-reader", AT_ONCE)) {
            List<CompletableFuture<A>> answers = questions.stream()
                    .map(question -> CompletableFuture.supplyAsync(() -> ask.apply(question), lane))
                    .toList();
            return answers.stream().map(answer -> ended(environment, answer)).toList();
        }
    }

    private static <A> A ended(Environment environment, CompletableFuture<A> answer) {
        try {
            boolean unused = environment.await(answer, LONGEST);
            return environment.join(answer);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException problem ? problem : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the database was asked", e);
        }
    }
}

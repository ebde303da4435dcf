package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import java.io.IOException;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The connection between clients and nodes. Requests may be lost, and answers may be late or lost although a write was stored.
 * Not thread-safe.
 */
public final class Wire {
    private final Agenda agenda;
    private final Cluster cluster;
    private final Trouble trouble;
    private final Random random;

    /** Creates a wire. The same seed causes the same trouble. */
    public Wire(Agenda agenda, Cluster cluster, Trouble trouble, long seed) {
        this.agenda = agenda;
        this.cluster = cluster;
        this.trouble = trouble;
        this.random = new Random(seed);
    }

    Agenda agenda() {
        return agenda;
    }

    /**
     * The probabilities and delays of trouble with requests.
     *
     * @param lostRequests the fraction of requests that never arrive, 0 to 1
     * @param lostAnswers the fraction of answers that never arrive, 0 to 1
     * @param delay the average delay of a request, and of an answer, in microseconds
     * @param slow the fraction of requests, and of answers, with an additional delay, 0 to 1
     * @param slowDelay the maximum additional delay of these, in microseconds
     */
    public record Trouble(double lostRequests, double lostAnswers, long delay, double slow, long slowDelay) {
        /** Creates trouble without additional delays. */
        public Trouble(double lostRequests, double lostAnswers, long delay) {
            this(lostRequests, lostAnswers, delay, 0, 0);
        }

        /** Nothing is lost; a request and its answer together take a millisecond on average. */
        public static final Trouble NONE = new Trouble(0, 0, 500);
    }

    /** A request. It ends once, with an answer or a failure, or never while its node is frozen. */
    private static final class Request<T> {
        private final Consumer<T> answer;
        private final Consumer<IOException> failure;
        private boolean over;

        Request(Consumer<T> answer, Consumer<IOException> failure) {
            this.answer = answer;
            this.failure = failure;
        }

        void answered(T value) {
            if (!over) {
                over = true;
                answer.accept(value);
            }
        }

        void failed(String why) {
            if (!over) {
                over = true;
                failure.accept(new IOException(why));
            }
        }
    }

    /**
     * Asks a node about the first database.
     *
     * @param question is called with the coordinator and the receiver of the answer
     * @param failure is called when there is no answer; a write may have been stored
     */
    public <T> void ask(
            int node,
            BiConsumer<Coordinator, Consumer<T>> question,
            Consumer<T> answer,
            Consumer<IOException> failure) {
        ask(cluster.node(node), question, answer, failure);
    }

    /** Asks a node about any database, like {@link #ask(int, BiConsumer, Consumer, Consumer)}. */
    public <T> void ask(
            Coordinator node,
            BiConsumer<Coordinator, Consumer<T>> question,
            Consumer<T> answer,
            Consumer<IOException> failure) {
        Request<T> request = new Request<>(answer, failure);
        if (happens(trouble.lostRequests())) {
            later(() -> request.failed("The connection broke before the request was sent."));
        } else {
            later(() -> arrive(node, question, request));
        }
    }

    private <T> void arrive(Coordinator node, BiConsumer<Coordinator, Consumer<T>> question, Request<T> request) {
        if (node.member().state() == Member.State.STOPPED) {
            later(() -> request.failed("The connection was refused."));
            return;
        }
        Runnable forget = node.member().onStop(() -> later(() -> request.failed("The node died.")));
        boolean lost = happens(trouble.lostAnswers());
        try {
            question.accept(node, value -> {
                forget.run();
                later(lost ? () -> request.failed("The answer was lost.") : () -> request.answered(value));
            });
        } catch (CouchError e) {
            forget.run();
            later(() -> request.failed("The request was refused: " + e.reason()));
        }
    }

    private boolean happens(double chance) {
        return random.nextDouble() < chance;
    }

    private void later(Runnable task) {
        long way = Math.round(-trouble.delay() * StrictMath.log(1 - random.nextDouble()));
        if (trouble.slow() > 0 && happens(trouble.slow())) {
            way += (long) (random.nextDouble() * trouble.slowDelay());
        }
        agenda.after(way, task);
    }
}

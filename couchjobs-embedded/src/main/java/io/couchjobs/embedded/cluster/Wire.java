package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import java.io.IOException;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The way of a client to the nodes. A request may reach no node, and an answer may be late or lost, whatever was stored. Not
 * thread-safe.
 */
public final class Wire {
    private final Agenda agenda;
    private final Cluster cluster;
    private final Trouble trouble;
    private final Random random;

    /** The same seed gives the same trouble. */
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
     * The trouble that may happen to a request.
     *
     * @param lostRequests which part of the requests never arrives, 0 to 1
     * @param lostAnswers which part of the answers never arrives, 0 to 1
     * @param delay how many microseconds a request takes on average to its node, and an answer back
     * @param slow which part of the requests, and of the answers, is much longer on its way
     * @param slowDelay how many microseconds these take at most
     */
    public record Trouble(double lostRequests, double lostAnswers, long delay, double slow, long slowDelay) {
        /** Nothing is much longer on its way than the rest. */
        public Trouble(double lostRequests, double lostAnswers, long delay) {
            this(lostRequests, lostAnswers, delay, 0, 0);
        }

        /** Nothing is lost; both ways together take a millisecond on average. */
        public static final Trouble NONE = new Trouble(0, 0, 500);
    }

    /** One request; it ends once, with an answer or a failure, or never when its node is frozen. */
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
     * @param question asks the coordinator, and gives it the receiver of the answer
     * @param failure is told that there is no answer; what was asked may have been done
     */
    public <T> void ask(
            int node,
            BiConsumer<Coordinator, Consumer<T>> question,
            Consumer<T> answer,
            Consumer<IOException> failure) {
        ask(cluster.node(node), question, answer, failure);
    }

    /** As {@link #ask(int, BiConsumer, Consumer, Consumer)}, about any database. */
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

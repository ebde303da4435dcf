package io.couchjobs.embedded;

import io.couchjobs.embedded.http.Interceptor.Fate;
import io.couchjobs.embedded.http.Interceptor.Kind;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Makes requests to an embedded server fail on purpose, so that a test can see what its code does then. Each method plans a fault
 * for the next requests that match. Plans are used in the order they were made, and a request meets at most one. Thread-safe.
 */
public final class Faults {
    private final List<Plan> plans = new CopyOnWriteArrayList<>();

    Faults() {}

    /**
     * A request as far as a fault can tell it from others.
     *
     * @param method in capitals
     * @param path as sent, not decoded, without the query
     */
    public record Request(String method, String path) {}

    /**
     * Requests that are held back. Thread-safe.
     */
    public static final class Held {
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        private Held() {}

        /**
         * Waits until a request has arrived and is being held.
         *
         * @param seconds the longest wait
         * @return false when none came in that time
         * @throws InterruptedException when interrupted
         */
        public boolean awaitArrival(long seconds) throws InterruptedException {
            return arrived.await(seconds, TimeUnit.SECONDS);
        }

        /** Lets the held requests be served, and those that come later. */
        public void release() {
            released.countDown();
        }

        private void hold() throws InterruptedException {
            arrived.countDown();
            released.await();
        }
    }

    private record Plan(Predicate<Request> wanted, AtomicInteger left, Fate fate, Held held) {
        boolean takes(Request request) {
            return wanted.test(request) && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
        }
    }

    /**
     * Answers requests with a status and does not process them.
     *
     * @param times how many
     * @param wanted which
     * @param status the HTTP status, with a body as CouchDB's errors have
     */
    public void answer(int times, Predicate<Request> wanted, int status) {
        answer(times, wanted, status, "A test asked for this answer.");
    }

    /**
     * Answers requests with a status and a reason, by which clients tell some answers of one status apart.
     *
     * @param times how many
     * @param wanted which
     * @param status the HTTP status
     * @param reason what CouchDB would say, such as {@code You are not allowed to access this db.}
     */
    public void answer(int times, Predicate<Request> wanted, int status, String reason) {
        plan(times, wanted, new Fate(Kind.ANSWER, status, reason));
    }

    /**
     * Processes requests but cuts the connection instead of answering: what was written is stored, and the client does
     * not know.
     *
     * @param times how many
     * @param wanted which
     */
    public void loseAnswer(int times, Predicate<Request> wanted) {
        plan(times, wanted, new Fate(Kind.LOSE_ANSWER));
    }

    /**
     * Cuts the connection of requests that are not processed.
     *
     * @param times how many
     * @param wanted which
     */
    public void cut(int times, Predicate<Request> wanted) {
        plan(times, wanted, new Fate(Kind.CUT));
    }

    /**
     * Holds requests back until they are released, then processes them.
     *
     * @param times how many
     * @param wanted which
     * @return the switch that releases them; closing the server does too
     */
    public Held delay(int times, Predicate<Request> wanted) {
        Held held = new Held();
        plans.add(new Plan(wanted, new AtomicInteger(times), Fate.SERVE, held));
        return held;
    }

    /** Forgets all plans and releases what is held. */
    public void clear() {
        plans.forEach(plan -> plan.held().release());
        plans.clear();
    }

    private void plan(int times, Predicate<Request> wanted, Fate fate) {
        Held none = new Held();
        none.release();
        plans.add(new Plan(wanted, new AtomicInteger(times), fate, none));
    }

    Fate fate(String method, String path) throws InterruptedException {
        Request request = new Request(method, path);
        for (Plan plan : plans) {
            if (plan.takes(request)) {
                plan.held().hold();
                return plan.fate();
            }
        }
        return Fate.SERVE;
    }
}

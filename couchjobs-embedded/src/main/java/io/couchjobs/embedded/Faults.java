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
 * Makes requests to an embedded server fail, so that a test can check how its code reacts. Each method plans a fault for the next
 * matching requests. Plans apply in the order in which they were made, and at most one plan applies to a request. Thread-safe.
 */
public final class Faults {
    private final List<Plan> plans = new CopyOnWriteArrayList<>();

    Faults() {}

    /**
     * The parts of a request that a fault can match.
     *
     * @param method the HTTP method, in capitals
     * @param path the path as sent, not decoded, without the query
     */
    public record Request(String method, String path) {}

    /** A handle for delayed requests. Thread-safe. */
    public static final class Held {
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        private Held() {}

        /**
         * Waits until a request has arrived and is held back.
         *
         * @param seconds the longest wait
         * @return false when no request arrived in that time
         * @throws InterruptedException when interrupted
         */
        public boolean awaitArrival(long seconds) throws InterruptedException {
            return arrived.await(seconds, TimeUnit.SECONDS);
        }

        /** Lets the server process the requests that are held back, and does not hold back later ones. */
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
     * Answers requests with a status, without processing them.
     *
     * @param times the number of requests
     * @param wanted matches the requests
     * @param status the HTTP status; the body has the form of CouchDB's errors
     */
    public void answer(int times, Predicate<Request> wanted, int status) {
        answer(times, wanted, status, "A test asked for this answer.");
    }

    /**
     * Answers requests with a status and a reason, without processing them. Clients use the reason to distinguish some answers
     * with the same status.
     *
     * @param times the number of requests
     * @param wanted matches the requests
     * @param status the HTTP status
     * @param reason the reason that CouchDB would give, such as {@code You are not allowed to access this db.}
     */
    public void answer(int times, Predicate<Request> wanted, int status, String reason) {
        plan(times, wanted, new Fate(Kind.ANSWER, status, reason));
    }

    /**
     * Processes requests, but closes the connection instead of answering. Writes are stored, but the client does not learn of it.
     *
     * @param times the number of requests
     * @param wanted matches the requests
     */
    public void loseAnswer(int times, Predicate<Request> wanted) {
        plan(times, wanted, new Fate(Kind.LOSE_ANSWER));
    }

    /**
     * Closes the connections of requests, without processing them.
     *
     * @param times the number of requests
     * @param wanted matches the requests
     */
    public void cut(int times, Predicate<Request> wanted) {
        plan(times, wanted, new Fate(Kind.CUT));
    }

    /**
     * Holds requests back until they are released, then processes them.
     *
     * @param times the number of requests
     * @param wanted matches the requests
     * @return the handle that releases the requests; closing the server releases them too
     */
    public Held delay(int times, Predicate<Request> wanted) {
        Held held = new Held();
        plans.add(new Plan(wanted, new AtomicInteger(times), Fate.SERVE, held));
        return held;
    }

    /** Removes all plans and releases the requests that are held back. */
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

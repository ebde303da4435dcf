package io.couchjobs.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** One request that a {@link Proxy} stops on its way, or its answer, until it is released. Thread-safe. */
public final class Held implements Proxy.Detour {
    private final Predicate<Proxy.Request> which;
    private final boolean before;
    private final AtomicLong caught = new AtomicLong();
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);

    Held(Predicate<Proxy.Request> which, boolean before) {
        this.which = which;
        this.before = before;
    }

    @Override
    public boolean goes(Proxy.Request request) throws InterruptedException {
        if (which.test(request) && caught.compareAndSet(0, request.number()) && before) {
            arrived.countDown();
            released.await();
        }
        return true;
    }

    @Override
    public boolean returns(Proxy.Request request) throws InterruptedException {
        if (caught.get() == request.number()) {
            answered.countDown();
            if (!before) {
                arrived.countDown();
                released.await();
            }
        }
        return true;
    }

    @Override
    public void end() {
        released.countDown();
    }

    /** Waits until the request (or its answer) is held here. */
    public void awaitArrival() throws InterruptedException {
        await(arrived, "nothing to hold came by");
    }

    public void release() {
        released.countDown();
    }

    /** Releases a request and waits until the server has answered it. */
    public void releaseAndAwaitAnswer() throws InterruptedException {
        release();
        await(answered, "the server did not answer");
    }

    private static void await(CountDownLatch latch, String trouble) throws InterruptedException {
        if (!latch.await(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError(trouble + " within " + TestQueue.PATIENCE);
        }
    }
}

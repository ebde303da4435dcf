package io.couchjobs.worker;

import io.couchjobs.job.HaltException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Combines the runs of several jobs in one call. The first job runs at once. Jobs that arrive meanwhile wait, and the next call
 * takes all of them, up to its limit. A full call does not wait for the previous call. Thread-safe.
 *
 * <p>Each run waits in its own thread, and the first run of a call makes the call. When the first run must stop, the next call runs
 * the others.
 */
final class Gathering<T> {
    private final int most;
    private final ChunkHandler.Work<T> work;
    /**
     * A lock instead of a monitor: before Java 24, a virtual thread that waits for a monitor pins its carrier, and there are only
     * 256 carriers.
     */
    private final Lock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final Deque<Member<T>> waiting = new ArrayDeque<>();
    private int calls;

    Gathering(int most, ChunkHandler.Work<T> work) {
        this.most = most;
        this.work = work;
    }

    /** A run that takes part in the gathering. Guarded by the lock of the gathering. */
    private static final class Member<T> {
        private final ChunkHandler.Item<T> item;
        private boolean isDone;
        /** Whether the run has stopped and no longer waits for its outcome. */
        private boolean hasLeft;

        private @Nullable Throwable problem;

        Member(ChunkHandler.Item<T> item) {
            this.item = item;
        }

        void end(@Nullable Throwable ofAll) {
            problem = item.hasEnded() ? item.problem().orElse(null) : ofAll;
            isDone = true;
        }
    }

    /**
     * Runs a job, alone or with others.
     *
     * @return the result of the job
     * @throws Exception the failure of the job
     */
    @Nullable
    Object run(ChunkHandler.Item<T> item, JobContext context) throws Exception {
        Member<T> me = new Member<>(item);
        List<Member<T>> call = callOf(me);
        if (!call.isEmpty()) {
            make(call, context);
        }
        Throwable problem = problemOf(me);
        if (problem instanceof Error error) {
            throw error;
        } else if (problem instanceof Exception exception) {
            throw exception;
        }
        return item.result();
    }

    /**
     * Waits until another run has made the call, or this run must make it. Returns the members of the call to make, or an empty
     * list.
     */
    private List<Member<T>> callOf(Member<T> me) throws InterruptedException {
        lock.lock();
        try {
            waiting.add(me);
            changed.signalAll();
            awaitCall(me);
            List<Member<T>> call = new ArrayList<>();
            while (!me.isDone && call.size() < most && !waiting.isEmpty()) {
                call.add(waiting.remove());
            }
            calls += call.isEmpty() ? 0 : 1;
            changed.signalAll();
            return call;
        } finally {
            lock.unlock();
        }
    }

    private void awaitCall(Member<T> me) throws InterruptedException {
        try {
            while (!me.isDone && !mayBegin(me)) {
                changed.await();
            }
        } catch (InterruptedException stop) {
            waiting.remove(me);
            me.hasLeft = true;
            changed.signalAll(); // another run is the first now
            throw stop;
        }
    }

    private boolean mayBegin(Member<T> me) {
        return waiting.peek() == me && (calls == 0 || waiting.size() >= most);
    }

    private @Nullable Throwable problemOf(Member<T> me) {
        lock.lock();
        try {
            return me.problem;
        } finally {
            lock.unlock();
        }
    }

    private void make(List<Member<T>> call, JobContext context) {
        Throwable thrown = null;
        try {
            work.run(call.stream().map(member -> member.item).toList(), context);
        } catch (Throwable problem) {
            thrown = problem;
        }
        boolean stops = context.stopReason().isPresent()
                || (thrown instanceof HaltException halt && halt.jobId().equals(context.id()));
        over(call, thrown, thrown != null && stops);
    }

    private void over(List<Member<T>> call, @Nullable Throwable thrown, boolean isStopped) {
        lock.lock();
        try {
            for (int i = call.size() - 1; i >= 0; i--) {
                Member<T> member = call.get(i);
                boolean runsAgain = isStopped && i > 0 && !member.item.hasEnded();
                if (!runsAgain) {
                    member.end(thrown);
                } else if (!member.hasLeft) {
                    waiting.addFirst(member);
                }
            }
            calls--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}

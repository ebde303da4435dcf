package io.couchjobs.engine.scope;

import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Submission;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the submits that were rejected. Rejected submits leave no jobs that could be counted. A write for each would
 * add work just when there is too much of it, so the counts are summed up and written once a second. Thread-safe.
 */
public final class Rejections implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Rejections.class);

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_END = Duration.ofSeconds(5);

    private final ScopeStore scopes;
    private final Lane lane;
    private final Alarm telling;
    /**
     * Lets one thread write at a time, while others wait for it. A count that is being written is neither in {@link
     * #untold} nor stored.
     */
    private final ReentrantLock oneTells = new ReentrantLock();

    private Map<Scope, Map<Submission.Answer, Long>> untold = new HashMap<>();

    Rejections(ScopeStore scopes, Environment environment) {
        this.scopes = scopes;
        this.lane = environment.lane("couchjobs-scope-rejections", 1);
        this.telling = Alarm.immediate(lane, this::tell);
    }

    synchronized void add(Scope scope, Submission.Answer answer) {
        untold.computeIfAbsent(scope, s -> new EnumMap<>(Submission.Answer.class))
                .merge(answer, 1L, Long::sum);
        telling.within(PAUSE);
    }

    /**
     * Writes the counts that are not written yet, and waits for those that another thread is writing, but at most five
     * seconds. Counts that cannot be written now are kept and tried again.
     */
    void tell() {
        try {
            if (oneTells.tryLock(LONGEST_END.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    writeUntold();
                } finally {
                    oneTells.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeUntold() {
        Map<Scope, Map<Submission.Answer, Long>> rejected;
        synchronized (this) {
            rejected = untold;
            untold = new HashMap<>();
        }
        rejected.forEach((scope, counts) -> {
            try {
                scopes.addRejected(scope, counts);
            } catch (RuntimeException e) {
                log.debug("the rejections of {} are not written yet", scope, e);
                keep(scope, counts);
            }
        });
    }

    @Override
    public void close() {
        lane.finish();
        try {
            boolean unused = lane.awaitEnd(LONGEST_END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        writeUntold(); // without the lock, which a lane that has not ended may hold for long
    }

    private synchronized void keep(Scope scope, Map<Submission.Answer, Long> counts) {
        Map<Submission.Answer, Long> kept = untold.computeIfAbsent(scope, s -> new EnumMap<>(Submission.Answer.class));
        counts.forEach((answer, count) -> kept.merge(answer, count, Long::sum));
        telling.within(PAUSE);
    }
}

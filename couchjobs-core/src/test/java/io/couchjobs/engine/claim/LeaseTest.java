package io.couchjobs.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.time.ServerClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaseTest {
    private static final Duration LENGTH = Duration.ofSeconds(3);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1); // which may overflow
    private final ServerClock clock = new ServerClock(InstantSource.system(), () -> Duration.ZERO, nanos::get);

    @Test
    void it_is_over_when_no_renewal_was_confirmed_for_its_length() {
        Lease lease = new Lease(clock, () -> LENGTH, LongUnaryOperator.identity(), nanos.get());
        nanos.addAndGet(LENGTH.toNanos());
        assertThat(lease.isOver()).isFalse();
        nanos.incrementAndGet();
        assertThat(lease.isOver()).isTrue();
        lease.renewed(nanos.get());
        lease.renewed(nanos.get() - LENGTH.toNanos() - 1); // an answer that came late
        assertThat(lease.isOver()).isFalse();
    }

    @Test
    void the_last_known_length_holds_while_nobody_can_tell() {
        CountDownLatch told = new CountDownLatch(1);
        Lease lease = new Lease(clock, () -> lengthOnce(told), LongUnaryOperator.identity(), nanos.get());
        assertThat(lease.isOver()).isFalse();
        nanos.addAndGet(LENGTH.toNanos() + 1);
        assertThat(lease.isOver()).isTrue();
    }

    /** The monotonic clock of a suspended machine stands still, and others have had the job for hours. */
    @Test
    void it_is_over_when_the_machine_was_suspended_for_more_than_half_of_its_length() {
        AtomicReference<Instant> timeOfDay = new AtomicReference<>(Instant.EPOCH);
        ServerClock suspended = new ServerClock(timeOfDay::get, () -> Duration.ZERO, nanos::get);
        Lease lease = new Lease(suspended, () -> LENGTH, LongUnaryOperator.identity(), suspended.nanos());
        pass(timeOfDay, Duration.ofMillis(1));
        timeOfDay.updateAndGet(now -> now.plus(LENGTH.dividedBy(2)));
        assertThat(lease.isOver()).isFalse();

        long sent = suspended.nanos();
        pass(timeOfDay, Duration.ofMillis(1));
        timeOfDay.updateAndGet(now -> now.plus(Duration.ofHours(8)));
        assertThat(lease.isOver()).isTrue();
        lease.renewed(sent);
        assertThat(lease.isOver()).as("renewed by what was sent before").isTrue();

        lease.renewed(suspended.nanos());
        pass(timeOfDay, Duration.ofMillis(1));
        assertThat(lease.isOver()).as("renewed by what was sent afterwards").isFalse();
        timeOfDay.updateAndGet(now -> now.minus(Duration.ofHours(8)));
        assertThat(lease.isOver()).as("a clock that is set back").isFalse();
    }

    private void pass(AtomicReference<Instant> timeOfDay, Duration time) {
        nanos.addAndGet(time.toNanos());
        timeOfDay.updateAndGet(now -> now.plus(time));
    }

    private static Duration lengthOnce(CountDownLatch told) {
        if (told.getCount() == 0) {
            throw new CouchJobsException("the settings cannot be read");
        }
        told.countDown();
        return LENGTH;
    }

    /** The keeper of leases renews those of all jobs, and interrupts the handlers whose leases are over. */
    @Test
    void it_is_renewed_while_a_handler_waits_to_be_told_its_length() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        Lease lease = new Lease(clock, () -> lengthLater(asked, answered), LongUnaryOperator.identity(), nanos.get());
        CompletableFuture<Boolean> handler = CompletableFuture.supplyAsync(lease::isOver);
        asked.await();
        nanos.addAndGet(LENGTH.toNanos() + 1);
        long now = nanos.get();
        CompletableFuture<Long> keeper = CompletableFuture.supplyAsync(() -> {
            lease.renewed(now);
            return lease.confirmedNanos();
        });
        assertThat(keeper.get(10, TimeUnit.SECONDS)).isEqualTo(now);
        answered.countDown();
        assertThat(handler.get(10, TimeUnit.SECONDS)).isFalse();
    }

    private static Duration lengthLater(CountDownLatch asked, CountDownLatch answered) {
        asked.countDown();
        try {
            answered.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return LENGTH;
    }
}

package io.couchjobs.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SlotsTest {
    private final Slots slots = new Slots(1);

    /** Two locks that are taken in two orders: the worker stood still for ever, and kept what it owned. */
    @Test
    void a_thread_that_asks_for_a_place_keeps_no_other_thread_from_taking_a_slot() throws Exception {
        assertThat(slots.tryTake()).isTrue();
        int free = slots.awaitRoom(() -> isTakenByAnotherThread() ? 0 : 1);
        assertThat(free).isZero();
    }

    private boolean isTakenByAnotherThread() {
        return CompletableFuture.supplyAsync(slots::tryTake)
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    @Test
    void a_thread_that_waits_for_room_hears_of_a_place_that_became_free_while_it_looked() throws Exception {
        assertThat(slots.tryTake()).isTrue();
        AtomicInteger looks = new AtomicInteger();
        int free = slots.awaitRoom(() -> {
            slots.changed();
            return looks.getAndIncrement();
        });
        assertThat(free).isZero();
        assertThat(looks.get()).isEqualTo(2);
    }

    @Test
    void a_thread_that_waits_for_room_hears_of_a_slot_that_became_free() throws Exception {
        assertThat(slots.tryTake()).isTrue();
        CompletableFuture<Integer> room = CompletableFuture.supplyAsync(() -> {
            try {
                return slots.awaitRoom(() -> 0);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        slots.release();
        assertThat(room.get(30, TimeUnit.SECONDS)).isOne();
    }
}

package io.couchjobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.chaos.Entry.What;
import org.junit.jupiter.api.Test;

/** Each broken promise is seen, in a history that differs from one that is well in nothing else. The other promises have tests of their own. */
class CheckerTest extends ForgedHistories {
    @Test
    void a_history_that_keeps_every_promise_is_found_well() {
        ofOneOwner();
        assertWell();
    }

    @Test
    void a_process_whose_threads_wait_for_each_other_is_seen() {
        ofOneOwner().creator(11, What.DEADLOCKED, Entry.NO_JOB);
        assertBroken("nobody stands still");
    }

    @Test
    void a_run_in_which_nothing_happened_proves_nothing() {
        assertThat(forged.violations()).hasSize(1);
    }
}

package io.couchjobs.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.limit.Capacity;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UnconfirmedClaimsTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final UnconfirmedClaims unconfirmed = new UnconfirmedClaims(nanos::get, Environment.REAL);
    private final Job job = Jobs.job("'data':{}");
    private final Job other = Job.parse(Jobs.json("{'_id':'job:email:other'}"));

    @Test
    void a_job_that_was_claimed_in_vain_is_left_alone_for_a_pause_and_others_are_not() {
        unconfirmed.tied(job.id());
        Duration pause = unconfirmed.pause();
        assertThat(pause).isBetween(Duration.ofMillis(200), Duration.ofMillis(400));
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(job)).isFalse();
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(other)).isTrue();
        assertThat(unconfirmed.except(new Capacity(true, none -> false)).test(other))
                .isFalse();
        pass(pause.minusNanos(1));
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(job)).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(job)).isTrue();
    }

    @Test
    void the_pauses_grow_to_twenty_seconds_at_most_and_are_forgotten_after_minutes() {
        for (int i = 0; i < 8; i++) {
            unconfirmed.tied(job.id());
            pass(unconfirmed.pause());
        }
        unconfirmed.tied(job.id());
        assertThat(unconfirmed.pause()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
        pass(Duration.ofMinutes(3));
        unconfirmed.tied(job.id());
        assertThat(unconfirmed.pause()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void a_process_that_is_cut_off_with_a_minority_claims_nothing_for_a_growing_pause_until_a_claim_is_confirmed() {
        unconfirmed.claimed(3, 3);
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(other)).isTrue();
        unconfirmed.claimed(3, 3);
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(other)).isFalse();
        pass(unconfirmed.pause());
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(other)).isTrue();
        for (int i = 0; i < 8; i++) {
            unconfirmed.claimed(1, 1);
        }
        assertThat(unconfirmed.pause()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
        unconfirmed.claimed(3, 2);
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(other)).isTrue();
        unconfirmed.claimed(3, 3);
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(other)).isTrue();
    }

    @Test
    void a_job_whose_claims_are_refused_is_not_claimable_in_a_moment() {
        unconfirmed.refused(other.id());
        assertThat(unconfirmed.except(Capacity.FOR_ALL).test(other)).isFalse();
        assertThat(unconfirmed.hasClaimableSoon()).isFalse();
        unconfirmed.tied(job.id());
        assertThat(unconfirmed.hasClaimableSoon()).isTrue();
        pass(unconfirmed.pause());
        pass(unconfirmed.pause());
        assertThat(unconfirmed.hasClaimableSoon()).isFalse();
    }

    @Test
    void without_ties_nothing_is_asked() {
        assertThat(unconfirmed.except(Capacity.FOR_ALL)).isSameAs(Capacity.FOR_ALL);
        assertThat(unconfirmed.pause()).isGreaterThan(Duration.ofDays(1));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}

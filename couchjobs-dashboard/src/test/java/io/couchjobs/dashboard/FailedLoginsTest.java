package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How long who gave wrong passwords has to wait. */
class FailedLoginsTest {
    private static final String ADDRESS = "203.0.113.7";

    private final AtomicLong clock = new AtomicLong(-1_000_000_000L);
    private final FailedLogins logins = new FailedLogins(clock::get);

    private boolean lookedAt;

    private FailedLogins.Verdict wrong(String address) {
        lookedAt = false;
        return logins.letIn(address, () -> {
            lookedAt = true;
            return Credentials.Rights.NONE;
        });
    }

    private boolean right(String address) {
        return logins.letIn(address, () -> Credentials.Rights.CHANGE).isLetIn();
    }

    private void fail(String address, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(wrong(address).left()).isZero();
        }
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void a_user_who_mistypes_now_and_then_waits_for_nothing() {
        for (int i = 0; i < 20; i++) {
            fail(ADDRESS, FailedLogins.FREE - 1);
            assertThat(right(ADDRESS)).isTrue();
        }
    }

    @Test
    void while_an_address_has_to_wait_even_the_right_password_is_not_looked_at() {
        fail(ADDRESS, FailedLogins.FREE);
        assertThat(right(ADDRESS)).isFalse();
        assertThat(wrong(ADDRESS).left()).isEqualTo(Duration.ofSeconds(1));
        assertThat(lookedAt).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(right(ADDRESS)).isTrue();
        fail(ADDRESS, FailedLogins.FREE);
    }

    @Test
    void the_wait_doubles_up_to_a_minute_so_that_a_day_is_enough_for_few_guesses() {
        long guesses = 0;
        Duration waited = Duration.ZERO;
        Duration longest = Duration.ZERO;
        while (waited.compareTo(Duration.ofDays(1)) < 0) {
            Duration wait = wrong(ADDRESS).left();
            guesses += lookedAt ? 1 : 0;
            pass(wait);
            waited = waited.plus(wait);
            longest = wait.compareTo(longest) > 0 ? wait : longest;
        }
        assertThat(longest).isEqualTo(Duration.ofMinutes(1));
        assertThat(guesses).isLessThan(1500);
    }

    @Test
    void a_token_that_only_reads_is_let_in_and_clears_no_count() {
        for (int i = 0; i < FailedLogins.FREE; i++) {
            fail(ADDRESS, 1);
            if (i < FailedLogins.FREE - 1) {
                assertThat(logins.letIn(ADDRESS, () -> Credentials.Rights.READ).isLetIn())
                        .isTrue();
            }
        }
        assertThat(wrong(ADDRESS).left()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void knocking_meanwhile_does_not_make_it_longer() {
        fail(ADDRESS, FailedLogins.FREE);
        for (int i = 0; i < 100; i++) {
            wrong(ADDRESS);
        }
        assertThat(wrong(ADDRESS).left()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void after_a_quarter_of_an_hour_all_is_forgiven() {
        for (int i = 0; i < 50; i++) {
            pass(wrong(ADDRESS).left());
        }
        pass(Duration.ofMinutes(16));
        fail(ADDRESS, FailedLogins.FREE);
    }

    @Test
    void others_do_not_wait_for_it_but_its_neighbours_in_a_network_of_version_6_do() {
        fail(ADDRESS, FailedLogins.FREE);
        assertThat(right("203.0.113.8")).isTrue();
        for (int i = 0; i < FailedLogins.FREE; i++) {
            fail("2001:db8:1:2::" + i, 1);
        }
        assertThat(right("2001:db8:1:2:ffff::9%eth0")).isFalse();
        assertThat(right("2001:db8:1:3::1")).isTrue();
    }

    @Test
    void it_remembers_only_so_many_addresses_and_those_that_came_last() {
        for (int i = 0; i < FailedLogins.MOST + 100; i++) {
            fail("10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255), FailedLogins.FREE);
        }
        assertThat(logins.size()).isEqualTo(FailedLogins.MOST);
        assertThat(right("10.0.0.0")).isTrue();
        assertThat(right("10.0.39.100")).isFalse();
    }

    @Test
    void a_text_that_is_no_address_is_taken_as_it_is() {
        for (String odd : new String[] {"", "unix:", "unknown", "::::", "1:2:3:4:5:6:7:8:9"}) {
            fail(odd, FailedLogins.FREE);
            assertThat(right(odd)).isFalse();
        }
    }
}

package io.couchjobs.engine.limit;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.Stores;
import io.couchjobs.type.Rate;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Starts of a rate are reserved in windows of time. */
class RateKeeperTest extends FaultyServer {
    private static final Rate FIVE_A_SECOND = new Rate(5, Duration.ofSeconds(1));
    private static final Instant NOON = Instant.parse("2026-11-29T12:00:00Z");

    private JobStore store;
    private RateKeeper rates;
    private volatile Instant now = NOON;

    @BeforeEach
    void openStore() {
        store = Stores.of(queue.database());
        rates = new RateKeeper(store, new ServerClock(() -> now, () -> Duration.ZERO, System::nanoTime));
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private int take(Rate rate, int wanted) {
        return rates.take("email", rate, wanted, now);
    }

    @Test
    void a_rate_with_a_longer_window_counts_the_starts_of_the_last_short_window_and_waits_for_nothing() {
        now = NOON.plusSeconds(34 * 60);
        assertThat(take(new Rate(100, Duration.ofMinutes(1)), 100)).isEqualTo(100);
        Rate longer = new Rate(150, Duration.ofDays(1));
        now = NOON.plusSeconds(36 * 60);
        assertThat(rates.room("email", longer)).isEqualTo(50);
        assertThat(rates.millisUntilNext(longer))
                .isGreaterThan(Duration.ofHours(11).toMillis());
        assertThat(take(longer, 60)).isEqualTo(50);
    }

    @Test
    void a_rate_with_a_shorter_window_counts_the_starts_of_the_long_window_that_fall_into_it() {
        assertThat(take(new Rate(600, Duration.ofHours(1)), 600)).isEqualTo(600);
        assertThat(take(new Rate(100, Duration.ofMinutes(1)), 100)).isEqualTo(90);
    }

    @Test
    void a_window_that_another_clock_has_begun_is_waited_for() {
        save(
                queue.database(),
                "{'_id':'rate:email','window':" + NOON.plusSeconds(1).toEpochMilli() + ",'length':1000,'reserved':1}");
        now = NOON.plusMillis(900);
        assertThat(take(FIVE_A_SECOND, 5)).isZero();
        assertThat(rates.millisUntilNext(FIVE_A_SECOND)).isEqualTo(100);
        now = NOON.plusMillis(1_000);
        assertThat(take(FIVE_A_SECOND, 5)).isEqualTo(4);
    }

    @Test
    void starts_that_are_reserved_here_are_not_lost_when_no_more_can_be_reserved() {
        Rate rate = new Rate(100, Duration.ofMinutes(1));
        assertThat(take(rate, 1)).isEqualTo(1);
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().endsWith("/_bulk_docs"), 500);
        assertThatThrownBy(() -> take(rate, 50)).isInstanceOf(CouchException.class);

        couch.faults().clear();
        assertThat(take(rate, 100)).isEqualTo(99);
    }

    @Test
    void starts_that_are_given_back_after_their_window_make_the_next_one_no_larger() {
        assertThat(take(FIVE_A_SECOND, 5)).isEqualTo(5);
        rates.giveBack("email", 1, now);
        assertThat(take(FIVE_A_SECOND, 5)).isEqualTo(1);
        now = NOON.plusSeconds(1);
        assertThat(take(FIVE_A_SECOND, 1)).isEqualTo(1);
        rates.giveBack("email", 5, NOON);
        assertThat(take(FIVE_A_SECOND, 9)).isEqualTo(4);
    }

    @Test
    void a_process_whose_clock_is_windows_away_from_the_others_keeps_the_rate_by_itself() {
        assertThat(take(FIVE_A_SECOND, 5)).isEqualTo(5);
        ObjectNode document = queue.database().get("rate:email").orElseThrow();
        queue.database()
                .put(document.put("window", NOON.plusSeconds(2).toEpochMilli()).put("reserved", 5));
        rates.forget();

        assertThat(rates.room("email", FIVE_A_SECOND)).isZero();
        assertThat(take(FIVE_A_SECOND, 5)).isZero();
        now = NOON.plusSeconds(1);
        rates.forget();
        queue.database().put(queue.database().get("rate:email").orElseThrow().put("window", 0));
        assertThat(take(FIVE_A_SECOND, 9)).isEqualTo(5);
    }
}

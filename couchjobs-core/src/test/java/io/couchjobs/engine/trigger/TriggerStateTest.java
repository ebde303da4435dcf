package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The positions of a trigger beside the trigger itself, which may be another one by now, or gone. */
class TriggerStateTest extends FollowedOrders {
    @Test
    void a_source_that_the_trigger_had_before_counts_for_nothing() {
        Trigger before = queue.triggers().put(mails().build());
        Position position = tools.starts().position(before, "orders", orders, false);
        SourceChange change = new SourceChange("orders", "o1", "1-a", "1", false, null);
        Step failed = new Step(
                position.seq(), 1, 0, List.of(), List.of(new Step.Failure(change, "x", true)), Optional.empty());
        Position unused0 = tools.positions()
                .move(position, position.after(failed, Instant.now()).withProblem(Optional.of("orders: not_found")));
        orders.delete();
        CouchDatabase bills = queue.database().server().database("bills");
        boolean unused1 = bills.createIfMissing();

        queue.triggers().put(mails().source("bills").build());
        queue.triggers().replay("t", "now");
        assertThat(queue.triggers().status("t").sources())
                .extracting(TriggerStatus.Source::database)
                .containsExactly("bills");
        assertThat(queue.triggers().errors("t")).isEmpty();
        assertThat(queue.triggers().retryErrors("t")).isZero();
    }

    @Test
    void databases_that_only_a_new_pattern_fits_are_followed_from_its_change_on_though_another_process_changed_it() {
        save(orders, "{'_id':'o1'}");
        Trigger shops = Trigger.named("t").source("shop-*").type("mail").build();
        Trigger all = stored(Trigger.named("t").source("*").type("mail").build());
        tools.starts().begin(shops, orders.server(), List.of());
        tools.starts().begin(all, orders.server(), List.of("orders"));
        assertThat(tools.starts().position(all, "orders", orders, false).seq()).isNotEqualTo(Position.BEGINNING);
    }

    @Test
    void a_database_of_another_connection_is_followed_from_the_start_of_the_trigger_though_it_has_the_same_name() {
        Position first = tools.starts().position(mails().build(), "orders", orders, false);
        Position unused = tools.positions().move(first, first.after(Step.none("7-a", List.of()), Instant.now()));
        Trigger elsewhere = stored(mails().connection("shop").build());
        Position begun = tools.starts().position(elsewhere, "orders", orders, false);
        assertThat(begun.seq()).isEqualTo(Position.BEGINNING);
        assertThat(begun.round()).isPositive();
        assertThat(tools.starts().position(elsewhere, "orders", orders, false).rev())
                .isEqualTo(begun.rev());
    }

    @Test
    void a_follower_that_has_not_heard_of_a_new_connection_does_not_take_its_position_back() {
        Trigger before = mails().build();
        Trigger now = stored(mails().connection("shop").build());
        Position begun = tools.starts().position(now, "orders", orders, false);
        assertThatThrownBy(() -> tools.starts().position(before, "orders", orders, false))
                .isInstanceOf(Positions.MovedException.class);
        assertThat(tools.positions().read("t", "orders").orElseThrow().rev()).isEqualTo(begun.rev());
    }

    @Test
    void a_follower_that_has_not_heard_of_a_new_pattern_does_not_begin_with_its_own() {
        Trigger before = Trigger.named("t").source("shop-*").type("mail").build();
        Trigger now = stored(Trigger.named("t").source("*").type("mail").build());
        tools.starts().begin(now, orders.server(), List.of("orders"));
        assertThatThrownBy(() -> tools.starts().begin(before, orders.server(), List.of()))
                .isInstanceOf(Positions.MovedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders", "order*"})
    void a_trigger_that_nobody_has_followed_yet_is_sent_back_to_the_beginning(String source) {
        save(orders, "{'_id':'o1'}");
        save(queue.database(), "{'_id':'trigger:t','source':'" + source + "','job':{'type':'mail'}}");
        queue.triggers().replay("t", "beginning");
        assertThat(queue.triggers().status("t").sources()).singleElement().satisfies(orders -> {
            assertThat(orders.database()).isEqualTo("orders");
            assertThat(orders.position()).isEqualTo(Position.BEGINNING);
        });
    }

    @Test
    void a_trigger_that_would_make_jobs_of_its_own_position_is_refused() {
        String jobs = queue.database().name();
        assertThatThrownBy(() -> queue.triggers().put(mails().source(jobs).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("its own position");
        assertThat(queue.triggers().list()).isEmpty();
        assertThat(queue.triggers()
                        .put(mails().source(jobs).prefixes("order:").build())
                        .source())
                .isEqualTo(jobs);
        assertThat(queue.triggers()
                        .put(mails().source(jobs)
                                .selector(json("{'kind':'order'}"))
                                .build())
                        .selector())
                .isPresent();
    }

    @Test
    void positions_that_a_removal_left_behind_are_removed_when_it_is_repeated() {
        var unused = queue.triggers().put(mails().build());
        tools.triggers().remove("t");
        assertThatThrownBy(() -> queue.triggers().remove("t")).isInstanceOf(NotFoundException.class);
        assertThat(tools.positions().readAll("t")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Trigger.Delivery.class)
    void a_trigger_that_was_removed_and_made_anew_is_sent_back_though_the_former_one_was_sent_back_too(
            Trigger.Delivery delivery) {
        Trigger trigger = mails().deliver(delivery).build();
        save(orders, "{'_id':'o1'}");
        assertThat(jobsOfReplay(trigger)).isEqualTo(1);
        queue.triggers().remove("t");
        assertThat(jobsOfReplay(trigger)).isEqualTo(1);
    }

    private long jobsOfReplay(Trigger trigger) {
        var unused0 = queue.triggers().put(trigger);
        var unused1 = slice(follower(trigger));
        long before = jobs(trigger);
        queue.triggers().replay("t", "beginning");
        var unused2 = slice(follower(trigger));
        return jobs(trigger) - before;
    }

    /** How many jobs the trigger has made. */
    private long jobs(Trigger trigger) {
        return follower(trigger).position().count("jobs");
    }
}

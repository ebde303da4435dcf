package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.change;
import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One database is followed, slice by slice. */
class SourceFollowerTest extends FollowedOrders {
    @Test
    void one_that_found_nothing_has_nothing_to_do_until_there_is_news() {
        assertThat(slice(follower(mails().build()))).isEmpty();
    }

    @Test
    void many_changes_that_concern_nobody_end_a_slice_and_the_next_one_follows_at_once() {
        List<ObjectNode> notes = new ArrayList<>();
        for (int i = 0; i < SourceFollower.LONGEST_SLICE; i++) {
            notes.add(json("{'_id':'note:" + i + "'}"));
        }
        var unused = orders.bulkDocs(notes);
        save(orders, "{'_id':'order:1'}");
        SourceFollower follower = follower(mails().prefixes("order:").build());
        assertThat(slice(follower)).contains(Duration.ZERO);
        assertThat(queue.all("mail")).isEmpty();
        assertThat(slice(follower)).isNotEqualTo(Optional.of(Duration.ZERO));
        assertThat(queue.all("mail")).hasSize(1);
    }

    /** One of 20 changes has a position here, and the seven notes shift the end of the first step away from it. */
    @Test
    void the_part_of_a_backlog_that_was_taken_is_not_taken_again_by_the_next_follower() {
        int all = Taker.Size.USUAL.most() + 100;
        List<ObjectNode> changes = new ArrayList<>();
        for (int i = 0; i < all; i++) {
            changes.add(json("{'_id':'" + (i < 7 ? "note:" : "order:") + i + "'}"));
        }
        var unused0 = orders.bulkDocs(changes);
        Trigger trigger = mails().prefixes("order:").build();
        SourceFollower first = follower(trigger);
        var unused1 = first.slice(() -> false, () -> taken(first) == 0);
        assertThat(taken(first)).isBetween(1, all - 8);
        SourceFollower second = follower(trigger);
        var unused2 = slice(second);
        assertThat(taken(second)).isEqualTo(all - 7);
        assertThat(queue.all("mail")).hasSize(all - 7);
    }

    private static int taken(SourceFollower follower) {
        return follower.position().toDocument().path("changes").asInt();
    }

    @Test
    void each_change_of_a_backlog_has_a_position_of_its_own_when_a_template_names_it() {
        for (int i = 0; i < 30; i++) {
            save(orders, "{'_id':'order:" + i + "'}");
        }
        Optional<Duration> unused =
                slice(follower(mails().data(json("{'at':'{seq}'}")).build()));
        assertThat(queue.all("mail").map(job -> job.data().path("at").asText()).distinct())
                .hasSize(30);
    }

    @Test
    void large_documents_are_taken_a_few_at_a_time() {
        String text = "x".repeat(1_000_000);
        for (int i = 0; i < 20; i++) {
            save(orders, "{'_id':'order:" + i + "','text':'" + text + "'}");
        }
        SourceFollower follower = follower(
                mails().ignoreOwn("/mine").batch(100, Duration.ofMinutes(10)).build());
        while (queue.all("mail").count() < 2) {
            assertThat(slice(follower)).isPresent();
        }
        assertThat(queue.all("mail").map(job -> job.data().path("changes").size()))
                .containsExactly(8, 8);
    }

    /** CouchDB counts a control character as one byte, and sends six. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_document_that_does_not_fit_in_a_row_is_read_alone(boolean inBatches) {
        save(orders, "{'_id':'o1'}");
        ObjectNode large = json("{'_id':'o2'}").put("text", "\u0001".repeat(3_000_000));
        assertThat(orders.put(large)).isInstanceOf(WriteResult.Stored.class);
        save(orders, "{'_id':'o3'}");
        TriggerBuilder all = mails().ignoreOwn("/mine");
        SourceFollower follower = follower((inBatches ? all.batch(1, Duration.ZERO) : all).build());
        while (slice(follower).isPresent()) {
            Thread.onSpinWait();
        }
        assertThat(queue.all("mail")).hasSize(3);
        assertThat(follower.position().errors()).isEmpty();
    }

    @Test
    void the_changes_of_a_batch_wait_for_others_though_nothing_listens_meanwhile() {
        Trigger trigger = mails().batch(3, Duration.ofMinutes(1)).build();
        SourceFollower follower = follower(trigger);
        save(orders, "{'_id':'o1'}");
        assertThat(slice(follower))
                .hasValueSatisfying(wait -> assertThat(wait).isLessThanOrEqualTo(Duration.ofMinutes(1)));
        save(orders, "{'_id':'o2'}");
        assertThat(slice(follower)).isPresent();
        assertThat(queue.all("mail")).isEmpty();
        save(orders, "{'_id':'o3'}");
        assertThat(slice(follower)).isEmpty();
        assertThat(queue.all("mail").map(job -> job.data().path("changes").size()))
                .containsExactly(3);
    }

    @Test
    void the_changes_of_a_batch_wait_no_longer_than_they_may() {
        SourceFollower follower =
                follower(mails().batch(3, Duration.ofMillis(1)).build());
        save(orders, "{'_id':'o1'}");
        while (queue.all("mail").findAny().isEmpty()) {
            var unused = slice(follower);
        }
        assertThat(slice(follower)).isEmpty();
    }

    @Test
    void the_changes_of_a_batch_that_wait_are_left_to_the_next_slice_when_the_position_was_moved() {
        SourceFollower follower =
                follower(mails().batch(3, Duration.ofMinutes(1)).build());
        save(orders, "{'_id':'o1'}");
        assertThat(follower.slice(() -> true, () -> true)).contains(Duration.ZERO);
        AtomicBoolean isMoved = new AtomicBoolean();
        assertThat(follower.slice(() -> true, () -> !isMoved.getAndSet(true))).isPresent();
        assertThat(queue.all("mail")).isEmpty();
        assertThat(follower.position().owed()).isEmpty();
        assertThat(follower.hasTakenAll()).isFalse();
    }

    @Test
    void a_few_changes_that_concern_nobody_are_stored_some_time_later() {
        save(orders, "{'_id':'note:1'}");
        SourceFollower follower = follower(mails().prefixes("order:").build());
        assertThat(slice(follower))
                .hasValueSatisfying(later -> assertThat(later).isPositive());
    }

    @Test
    void a_connection_that_ended_is_followed_by_another_one_soon() {
        SourceFollower follower = follower(mails().build());
        boolean[] went = new boolean[1];
        Optional<Duration> pause = follower.slice(() -> true, () -> !went[0] && (went[0] = true));
        assertThat(pause).hasValueSatisfying(soon -> assertThat(soon).isLessThan(Duration.ofSeconds(1)));
    }

    @Test
    void a_problem_is_not_noted_over_a_position_that_somebody_else_has_moved() {
        SourceFollower slow = follower(mails().build());
        save(orders, "{'_id':'o1'}");
        assertThat(slice(follower(mails().build()))).isEmpty();
        assertThatThrownBy(() -> slow.note(Optional.of("403"))).isInstanceOf(Positions.MovedException.class);
    }

    @Test
    void one_that_stood_still_while_its_trigger_was_sent_back_puts_no_older_revision_into_a_job() {
        Trigger trigger = queue.triggers().put(mails().includeDoc().build());
        save(orders, "{'_id':'o1','n':'0'}");
        Position before = follower(trigger).position();
        Taker slow = tools.jobTaker(trigger, orders, new LoopGuard());
        List<Change> read = read(slow);
        change(orders, "o1", "n", "1");
        queue.triggers().replay("t", "beginning");
        assertThat(slice(follower(trigger))).isEmpty();
        Step unused = slow.take(before, read);
        assertThat(queue.all("mail"))
                .singleElement()
                .satisfies(job -> assertThat(job.data().at("/doc/n").asText()).isEqualTo("1"));
    }

    private List<Change> read(Taker taker) {
        try (ChangesFeed feed = orders.changes(taker.request(ChangesRequest.normal()))) {
            return feed.next(Duration.ofMinutes(1)).stream().toList();
        }
    }

    @Test
    void a_backlog_is_read_on_at_once_when_a_connection_to_listen_on_becomes_free_meanwhile() {
        save(orders, "{'_id':'o1'}");
        AtomicBoolean isFree = new AtomicBoolean();
        assertThat(follower(mails().build()).slice(() -> isFree.getAndSet(true), () -> true))
                .contains(Duration.ZERO);
    }

    @Test
    void a_change_that_waits_for_room_is_one_change_however_often_it_is_looked_at() {
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        SourceFollower follower = follower(mails().build());
        save(orders, "{'_id':'o1'}");
        assertThat(slice(follower)).isEmpty();
        save(orders, "{'_id':'o2'}");
        for (int i = 0; i < 2 * LoopGuard.MOST; i++) {
            assertThat(slice(follower)).isPresent();
        }
        queue.remove(queue.all("mail").findAny().orElseThrow().id());
        assertThat(slice(follower)).isEmpty();
        assertThat(follower.position().warning(Instant.now())).isEmpty();
        assertThat(queue.all("mail")).singleElement().satisfies(job -> assertThat(job.scheduledTime())
                .isBefore(Instant.now().plusSeconds(5)));
    }

    @Test
    void one_that_finds_no_room_looks_again_in_growing_pauses_until_a_job_has_room() {
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        SourceFollower follower = follower(mails().build());
        save(orders, "{'_id':'o1'}");
        assertThat(slice(follower)).isEmpty();
        save(orders, "{'_id':'o2'}");
        assertThat(slice(follower).orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(1));
        for (int i = 0; i < 10; i++) {
            assertThat(slice(follower)).isPresent();
        }
        assertThat(slice(follower).orElseThrow()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(15));
        queue.remove(queue.all("mail").findAny().orElseThrow().id());
        assertThat(slice(follower)).isEmpty();
        save(orders, "{'_id':'o3'}");
        assertThat(slice(follower).orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void a_change_that_fails_behind_one_that_waits_for_room_is_listed_once() {
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        SourceFollower follower =
                follower(mails().data(json("{'to':'{/mail}'}")).build());
        save(orders, "{'_id':'o1','mail':'x'}");
        assertThat(slice(follower)).isEmpty();
        save(orders, "{'_id':'o2','mail':'x'}");
        save(orders, "{'_id':'o3'}");
        for (int i = 0; i < 3; i++) {
            assertThat(slice(follower)).isPresent();
        }
        queue.remove(queue.all("mail").findAny().orElseThrow().id());
        assertThat(slice(follower)).isEmpty();
        assertThat(follower.position().errors()).hasSize(1);
        assertThat(follower.position().failed()).isEqualTo(1);
    }

    @Test
    void the_warning_of_a_document_that_changes_very_often_outlasts_the_next_changes() {
        SourceFollower follower = followerInOneMoment(mails().build());
        for (int i = 0; i <= LoopGuard.MOST; i++) {
            save(orders, i == 0 ? "{'_id':'o1'}" : next("o1"));
            assertThat(slice(follower)).isEmpty();
        }
        save(orders, "{'_id':'o2'}");
        assertThat(slice(follower)).isEmpty();
        Position position = tools.positions().read("t", "orders").orElseThrow();
        assertThat(position.warning(Instant.now())).isPresent();
        assertThat(position.warning(Instant.now().plus(Duration.ofHours(1)))).isEmpty();
    }

    private String next(String id) {
        return orders.get(id).orElseThrow().toString();
    }

    @Test
    void a_document_that_changes_very_often_makes_its_delayed_job_no_earlier() {
        Duration delay = Duration.ofHours(1);
        SourceFollower follower = followerInOneMoment(mails().delay(delay).build());
        Instant begun = Instant.now();
        save(orders, "{'_id':'o1'}");
        for (int i = 0; i <= LoopGuard.MOST; i++) {
            assertThat(slice(follower)).isEmpty();
            change(orders, "o1", "n", String.valueOf(i));
        }
        assertThat(slice(follower)).isEmpty();
        assertThat(follower.position().warning(Instant.now()).orElseThrow()).contains("o1 changed more than");
        assertThat(queue.all("mail")).singleElement().satisfies(job -> assertThat(job.scheduledTime())
                .isAfter(begun.plus(delay).minusSeconds(5)));
    }
}

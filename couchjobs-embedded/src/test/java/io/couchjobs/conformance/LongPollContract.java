package io.couchjobs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The feed of changes, waited on once: a job that is added wakes who waits for it. */
abstract class LongPollContract {

    @Test
    void a_long_poll_answers_at_once_when_there_is_something(Db db) {
        db.fill(1, 2);

        assertThat(db.changes("feed", "longpoll").ids()).containsExactlyInAnyOrder("n01", "n02");
    }

    @Test
    void a_long_poll_is_woken_by_a_write(Db db) throws Exception {
        try (Feed feed = db.feed("/_changes?feed=longpoll&since=now&heartbeat=100")) {
            feed.awaitHeartbeat();

            db.save("{_id: 'a'}");

            String answer = feed.nextText();
            assertThat(answer).contains("\"id\":\"a\"");
        }
    }

    @Test
    void a_long_poll_from_a_position_misses_nothing_that_came_before_it_waited(Db db) throws Exception {
        String position = db.position();
        db.save("{_id: 'early'}");

        Reply reply = db.getLater("/_changes?feed=longpoll"
                        + Couch.query("since", position).replace('?', '&'))
                .get(30, TimeUnit.SECONDS);

        assertThat(reply.ids()).containsExactly("early");
    }

    @Test
    void a_long_poll_gives_up_after_its_timeout(Db db) {
        db.fill(1, 1);
        String position = db.position();

        Reply reply = db.changes("feed", "longpoll", "since", position, "timeout", "100")
                .expect(200);

        assertThat(reply.rows()).isEmpty();
        db.fill(2, 2);
        assertThat(db.changes("since", reply.text("/last_seq")).ids()).containsExactly("n02");
    }

    @Test
    void a_long_poll_is_woken_by_a_deletion(Db db) throws Exception {
        String rev = db.save("{_id: 'a'}");
        String position = db.position();
        CompletableFuture<Reply> waiting =
                db.getLater("/_changes" + Couch.query("feed", "longpoll", "since", position));

        db.remove("a", rev);

        assertThat(waiting.get(30, TimeUnit.SECONDS).at("/results/0/deleted").asBoolean())
                .isTrue();
    }

    @Test
    void many_waiters_are_all_woken(Db db) throws Exception {
        String asked = "/_changes" + Couch.query("feed", "longpoll", "since", db.position());
        CompletableFuture<Reply> one = db.getLater(asked);
        CompletableFuture<Reply> two = db.getLater(asked);
        CompletableFuture<Reply> three = db.getLater(asked);

        db.save("{_id: 'a'}");

        for (CompletableFuture<Reply> waiting : List.of(one, two, three)) {
            assertThat(waiting.get(30, TimeUnit.SECONDS).ids()).containsExactly("a");
        }
    }
}

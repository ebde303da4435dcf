package io.couchjobs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The feed of changes as a stream: continuous, or as the events of a browser. */
abstract class ContinuousFeedContract {

    @Test
    void a_continuous_feed_tells_what_was_and_what_comes(Db db) throws Exception {
        tellsWhatWasAndWhatComes(db, "continuous");
    }

    @Test
    void a_live_feed_is_a_continuous_one(Db db) throws Exception {
        tellsWhatWasAndWhatComes(db, "live");
    }

    private static void tellsWhatWasAndWhatComes(Db db, String form) throws Exception {
        db.save("{_id: 'was'}");
        try (Feed feed = db.feed("/_changes?feed=" + form + "&heartbeat=100")) {
            assertThat(feed.nextRow().path("id").asText()).isEqualTo("was");

            db.save("{_id: 'comes'}");

            assertThat(feed.nextRow().path("id").asText()).isEqualTo("comes");
        }
    }

    @Test
    void a_continuous_feed_beats_while_nothing_happens(Db db) throws Exception {
        try (Feed feed = db.feed("/_changes?feed=continuous&since=now&heartbeat=100")) {
            assertThat(feed.nextLine()).isEmpty();
            assertThat(feed.nextLine()).isEmpty();
            assertThat(feed.nextLine()).isEmpty();
        }
    }

    @Test
    void a_continuous_feed_from_now_tells_only_what_comes(Db db) throws Exception {
        db.save("{_id: 'was'}");
        try (Feed feed = db.feed("/_changes?feed=continuous&since=now&heartbeat=100&include_docs=true")) {
            feed.awaitHeartbeat();

            db.save("{_id: 'comes', n: 7}");

            JsonNode row = feed.nextRow();
            assertThat(row.path("id").asText()).isEqualTo("comes");
            assertThat(row.at("/doc/n").asInt()).isEqualTo(7);
        }
    }

    @Test
    void a_continuous_feed_can_be_taken_up_where_it_was_cut(Db db) throws Exception {
        db.fill(1, 5);
        Set<String> seen = new HashSet<>();
        String position;
        try (Feed feed = db.feed("/_changes?feed=continuous&heartbeat=100")) {
            seen.add(feed.nextRow().path("id").asText());
            JsonNode second = feed.nextRow();
            seen.add(second.path("id").asText());
            position = second.path("seq").asText();
        }
        db.fill(6, 6);

        try (Feed feed =
                db.feed("/_changes" + Couch.query("feed", "continuous", "heartbeat", "100", "since", position))) {
            while (seen.size() < 6) {
                seen.add(feed.nextRow().path("id").asText());
            }
        }
        assertThat(seen).containsExactlyInAnyOrder("n01", "n02", "n03", "n04", "n05", "n06");
    }

    @Test
    void a_continuous_feed_ends_with_its_position_after_its_timeout(Db db) throws Exception {
        db.fill(1, 1);
        try (Feed feed = db.feed("/_changes?feed=continuous&timeout=100")) {
            assertThat(feed.nextRow().path("id").asText()).isEqualTo("n01");
            String position = feed.nextRow().path("last_seq").asText();
            assertThat(feed.endsNow()).isTrue();

            assertThat(db.changes("since", position).rows()).isEmpty();
        }
    }

    @Test
    void a_continuous_feed_ends_at_its_limit(Db db) throws Exception {
        db.fill(1, 3);
        try (Feed feed = db.feed("/_changes?feed=continuous&limit=2&heartbeat=100")) {
            assertThat(feed.nextRow().has("id")).isTrue();
            assertThat(feed.nextRow().has("id")).isTrue();
            assertThat(feed.nextRow().has("last_seq")).isTrue();
            assertThat(feed.endsNow()).isTrue();
        }
    }

    @Test
    void a_continuous_feed_tells_every_change_of_a_document_or_at_least_the_last(Db db) throws Exception {
        try (Feed feed = db.feed("/_changes?feed=continuous&heartbeat=100")) {
            String rev = db.save("{_id: 'a', n: 0}");
            for (int n = 1; n < 10; n++) {
                rev = db.save("{_id: 'a', n: %d, _rev: '%s'}".formatted(n, rev));
            }

            String told = feed.nextRow().at("/changes/0/rev").asText();
            while (!told.equals(rev)) {
                told = feed.nextRow().at("/changes/0/rev").asText();
            }
        }
    }

    @Test
    void an_event_source_tells_changes_in_the_words_of_a_browser(Db db) throws Exception {
        db.save("{_id: 'a'}");
        try (Feed feed = db.feed("/_changes?feed=eventsource&heartbeat=100", "Accept", "text/event-stream")) {
            assertThat(feed.header("Content-Type")).startsWith("text/event-stream");
            String data = feed.nextText();
            assertThat(data).startsWith("data: {").contains("\"id\":\"a\"");
            assertThat(feed.nextText()).startsWith("id: ");
            assertThat(feed.nextText()).isEqualTo("event: heartbeat");
        }
    }

    @Test
    void an_event_source_is_taken_up_after_the_last_event(Db db) throws IOException {
        db.save("{_id: 'a'}");
        String position = db.position();
        db.save("{_id: 'b'}");

        try (Feed feed = db.feed("/_changes?feed=eventsource&heartbeat=100", "Last-Event-ID", position)) {
            assertThat(feed.nextText()).contains("\"id\":\"b\"");
        }
    }
}

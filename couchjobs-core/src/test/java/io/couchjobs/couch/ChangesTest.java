package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.NeedsOneCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("server")
class ChangesTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestServer COUCH = new TestServer();

    private CouchDatabase db;

    @BeforeEach
    void freshDatabase() {
        db = COUCH.server().database("couch-client-" + java.util.UUID.randomUUID());
        db.createIfMissing();
    }

    @AfterEach
    void removeDatabase() {
        db.delete();
    }

    @Test
    @NeedsOneCopy("the copy whose feed is read may lag behind for a moment")
    void a_normal_feed_gives_all_changes_and_ends() {
        db.bulkDocs(List.of(doc("a"), doc("b"), doc("c")));

        try (ChangesFeed feed = db.changes(ChangesRequest.normal())) {
            List<Change> changes = drain(feed);

            assertThat(changes).extracting(Change::id).containsExactlyInAnyOrder("a", "b", "c");
            assertThat(feed.isEnded()).isTrue();
            assertThat(feed.next(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @NeedsOneCopy("a position may lead to changes that were told already")
    void the_last_position_leads_to_what_came_after_it() {
        db.put(doc("before"));
        String position = db.currentSeq();
        db.put(doc("after"));

        try (ChangesFeed feed = db.changes(ChangesRequest.normal().since(position))) {
            assertThat(drain(feed)).extracting(Change::id).containsExactly("after");
            try (ChangesFeed rest = db.changes(ChangesRequest.normal().since(feed.lastSeq()))) {
                assertThat(drain(rest)).isEmpty();
            }
        }
    }

    @Test
    void a_continuous_feed_tells_of_a_change_as_it_happens() {
        try (ChangesFeed feed =
                db.changes(ChangesRequest.continuous().since(ChangesRequest.NOW).includeDocs(true))) {
            db.put(doc("new").put("n", 7));

            Change change = feed.next(LONG).orElseThrow();

            assertThat(change.id()).isEqualTo("new");
            assertThat(change.deleted()).isFalse();
            assertThat(change.revs()).hasSize(1);
            assertThat(change.doc().path("n").asInt()).isEqualTo(7);
            assertThat(feed.lastSeq()).isEqualTo(change.seq());
            assertThat(feed.isEnded()).isFalse();
        }
    }

    @Test
    void heartbeats_are_signs_of_life_and_nothing_else() {
        Duration often = Duration.ofSeconds(2); // a feed counts as dead after three of them
        try (ChangesFeed feed =
                db.changes(ChangesRequest.continuous().since(ChangesRequest.NOW).heartbeat(often))) {
            long atFirst = feed.lastSignOfLife();

            long deadline = System.nanoTime() + LONG.toNanos();
            while (feed.lastSignOfLife() - atFirst < often.toNanos() && System.nanoTime() < deadline) {
                assertThat(feed.next(often)).isEmpty();
            }

            assertThat(feed.lastSignOfLife()).isGreaterThan(atFirst);
            assertThat(feed.isEnded()).isFalse();
        }
    }

    @Test
    void closing_a_feed_unblocks_its_reader() throws Exception {
        ChangesFeed feed = db.changes(ChangesRequest.continuous().since(ChangesRequest.NOW));
        CompletableFuture<Optional<Change>> waiting = CompletableFuture.supplyAsync(() -> feed.next(LONG.plus(LONG)));

        feed.close();

        assertThat(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEmpty();
        assertThat(feed.isEnded()).isTrue();
    }

    @Test
    void more_feeds_can_be_opened_one_after_the_other_than_there_are_connections() {
        for (int i = 0; i < 3 * COUCH.server().config().maxFeedConnections(); i++) {
            db.changes(ChangesRequest.continuous().since(ChangesRequest.NOW)).close();
        }
        try (ChangesFeed feed = db.changes(ChangesRequest.normal())) {
            assertThat(drain(feed)).isEmpty();
        }
    }

    @Test
    void a_longpoll_feed_ends_after_the_next_change() {
        try (ChangesFeed feed = db.changes(ChangesRequest.longpoll().since(db.currentSeq()))) {
            db.put(doc("one"));

            assertThat(feed.next(LONG).orElseThrow().id()).isEqualTo("one");
            assertThat(feed.next(LONG)).isEmpty();
            assertThat(feed.isEnded()).isTrue();
        }
    }

    @Test
    void a_feed_with_a_timeout_is_ended_by_the_server() {
        try (ChangesFeed feed = db.changes(ChangesRequest.continuous().timeout(Duration.ofMillis(20)))) {
            assertThat(feed.next(LONG)).isEmpty();
            assertThat(feed.isEnded()).isTrue();
        }
    }

    @Test
    @NeedsOneCopy("the copy whose feed is read may lag behind for a moment")
    void a_feed_can_be_limited_to_documents_and_to_a_selector() {
        db.bulkDocs(List.of(doc("a"), doc("b").put("x", 1), doc("c").put("x", 2)));
        ObjectNode selector = Json.object().put("x", 2);

        try (ChangesFeed some = db.changes(ChangesRequest.normal().docIds(List.of("a", "b")));
                ChangesFeed none = db.changes(ChangesRequest.normal().docIds(List.of()));
                ChangesFeed selected = db.changes(ChangesRequest.normal().selector(selector))) {
            assertThat(drain(some)).extracting(Change::id).containsExactlyInAnyOrder("a", "b");
            assertThat(drain(none)).isEmpty();
            assertThat(drain(selected)).extracting(Change::id).containsExactly("c");
        }
    }

    @Test
    void a_deleted_document_is_a_change_too() {
        String rev = ((WriteResult.Stored) db.put(doc("x"))).rev();
        db.put(doc("x").put("_rev", rev).put("_deleted", true));

        try (ChangesFeed feed = db.changes(ChangesRequest.normal())) {
            assertThat(feed.next(LONG).orElseThrow().deleted()).isTrue();
        }
    }

    @Test
    void a_feed_of_a_missing_database_cannot_be_opened() {
        assertThatThrownBy(() -> COUCH.server().database("not-there").changes(ChangesRequest.continuous()))
                .isInstanceOf(CouchNotFoundException.class);
    }

    @Test
    void an_interrupted_reader_keeps_its_interrupt() {
        try (ChangesFeed feed = db.changes(ChangesRequest.continuous().since(ChangesRequest.NOW))) {
            Thread.currentThread().interrupt();

            assertThat(feed.next(LONG)).isEmpty();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(feed.isEnded()).isFalse();
        }
    }

    private static List<Change> drain(ChangesFeed feed) {
        List<Change> changes = new ArrayList<>();
        while (!feed.isEnded()) {
            feed.next(LONG).ifPresent(changes::add);
        }
        return changes;
    }

    private static ObjectNode doc(String id) {
        return Json.object().put("_id", id);
    }
}

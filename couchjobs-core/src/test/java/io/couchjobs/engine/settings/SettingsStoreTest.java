package io.couchjobs.engine.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.embedded.junit.TestServer;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a process believes about the settings of a type while it reads them and its feed tells of others. */
@ServerTest
class SettingsStoreTest {
    private static final Duration SHORT = Duration.ofSeconds(10);

    private JobQueue elsewhere;
    private JobQueue behindProxy;
    private Proxy proxy;
    private SettingsStore settings;

    @BeforeEach
    void open(TestServer server, TestDatabase database) {
        elsewhere = TestQueue.open(database);
        proxy = Proxy.before(server);
        behindProxy = TestQueue.open(proxy.door(database));
        settings = new SettingsStore(behindProxy.database(), Duration.ofMinutes(1));
        settings.gap(); // it follows the feed: this test tells it what the feed would
    }

    @AfterEach
    void close() {
        proxy.clear();
        behindProxy.close();
        elsewhere.close();
        proxy.close();
    }

    @Test
    void a_setting_told_by_the_feed_is_not_replaced_by_an_older_reading_of_all_settings() throws Exception {
        elsewhere.types().change("email", type -> type.withTimeout(Duration.ofMinutes(5)));
        whileAnswerIsHeld("/_all_docs", SettingsStore::readAll, this::shorten);
        assertThat(settings.timeoutOf("email")).isEqualTo(SHORT);
    }

    @Test
    void a_setting_told_by_the_feed_is_not_replaced_by_an_earlier_reading_that_found_nothing() throws Exception {
        whileAnswerIsHeld("/type:email", store -> store.read("email"), this::shorten);
        assertThat(settings.timeoutOf("email")).isEqualTo(SHORT);
    }

    @Test
    void a_setting_read_before_a_gap_in_the_feed_is_not_believed_after_it() throws Exception {
        elsewhere.types().change("email", type -> type.withTimeout(Duration.ofMinutes(5)));
        whileAnswerIsHeld("/type:email", store -> store.read("email"), () -> {
            elsewhere.types().change("email", type -> type.withTimeout(SHORT));
            settings.gap();
        });
        assertThat(settings.timeoutOf("email")).isEqualTo(SHORT);
    }

    @Test
    void a_timeout_that_becomes_shorter_leaves_half_of_it_to_renew_and_a_longer_one_changes_nothing() {
        long renewed = System.nanoTime() - Duration.ofMinutes(4).toNanos();
        assertThat(settings.timeoutOf("email")).isEqualTo(Duration.ofMinutes(1));
        settings.change("email", type -> type.withTimeout(Duration.ofMinutes(5)));
        assertThat(settings.silentSince("email", renewed)).isEqualTo(renewed);
        long before = System.nanoTime();
        shorten();
        assertThat(settings.silentSince("email", renewed) - before)
                .isBetween(-SHORT.toNanos() / 2, System.nanoTime() - before - SHORT.toNanos() / 2);
        long now = System.nanoTime();
        assertThat(settings.silentSince("email", now)).isEqualTo(now);
    }

    @Test
    void a_change_made_here_counts_here_although_the_feed_told_of_the_one_before_meanwhile() throws Exception {
        settings.change("email", type -> type.withTimeout(Duration.ofMinutes(5)));
        FeedEvent before = stored();
        whileAnswerIsHeld(
                "/type:email",
                store -> store.change("email", type -> type.withTimeout(SHORT)),
                () -> settings.changed(before));
        assertThat(settings.timeoutOf("email")).isEqualTo(SHORT);
    }

    @Test
    void a_change_made_here_counts_here_although_the_feed_tells_of_the_one_before_afterwards() {
        settings.change("email", type -> type.withTimeout(Duration.ofMinutes(5)));
        FeedEvent before = stored();
        settings.change("email", type -> type.withTimeout(SHORT));
        settings.changed(before);
        assertThat(settings.timeoutOf("email")).isEqualTo(SHORT);
    }

    @Test
    void settings_that_were_read_before_they_were_deleted_are_not_believed_afterwards() throws Exception {
        elsewhere.types().change("email", type -> type.withTimeout(SHORT));
        String docId = TypeSettings.docId("email");
        whileAnswerIsHeld(
                "/type:email",
                store -> store.read("email"),
                () -> settings.changed(new FeedEvent(docId, "2-aa", true, null, false)));
        assertThat(settings.timeoutOf("email")).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void a_process_that_follows_no_feed_believes_what_it_reads_although_it_knew_a_later_revision(
            TestDatabase database) {
        assumeFalse(database.serverName().contains("PouchDB"), "PouchDB has no _purge");
        SettingsStore lone = new SettingsStore(behindProxy.database(), Duration.ofMinutes(1));
        lone.change("email", type -> type.withTimeout(Duration.ofMinutes(5)));
        lone.change("email", type -> type.withTimeout(SHORT));
        elsewhere.database().purge(Map.of(TypeSettings.docId("email"), List.of(stored().rev())));
        elsewhere.types().change("email", type -> type.withTimeout(Duration.ofMinutes(7)));

        assertThat(lone.read("email").timeout()).contains(Duration.ofMinutes(7));
        assertThat(lone.timeoutOf("email")).isEqualTo(Duration.ofMinutes(7));
    }

    @Test
    void without_a_feed_a_late_answer_does_not_hide_a_change_that_was_made_meanwhile() throws Exception {
        SettingsStore lone = new SettingsStore(behindProxy.database(), Duration.ofMinutes(1));
        elsewhere.types().change("email", type -> type.withTimeout(Duration.ofMinutes(5)));
        Held held = proxy.holdAnswer(request ->
                request.method().equals("GET") && request.uri().getPath().endsWith("/type:email"));
        CompletableFuture<Void> read = CompletableFuture.runAsync(() -> lone.read("email"));
        held.awaitArrival();
        lone.change("email", type -> type.withTimeout(SHORT));
        held.release();
        read.get(30, TimeUnit.SECONDS);
        assertThat(lone.timeoutOf("email")).isEqualTo(SHORT);
    }

    private void shorten() {
        elsewhere.types().change("email", type -> type.withTimeout(SHORT));
        settings.changed(stored());
    }

    private FeedEvent stored() {
        String docId = TypeSettings.docId("email");
        return elsewhere
                .database()
                .get(docId)
                .map(document -> new FeedEvent(docId, document.path("_rev").asText(), false, document, false))
                .orElseThrow();
    }

    private void whileAnswerIsHeld(String path, Consumer<SettingsStore> reading, Runnable then) throws Exception {
        Held held = proxy.holdAnswer(request -> request.uri().getPath().endsWith(path));
        CompletableFuture<Void> read = CompletableFuture.runAsync(() -> reading.accept(settings));
        held.awaitArrival();
        then.run();
        held.release();
        read.get(30, TimeUnit.SECONDS);
    }
}

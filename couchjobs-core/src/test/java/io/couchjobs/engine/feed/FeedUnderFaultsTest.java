package io.couchjobs.engine.feed;

import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.FeedProxy.Mode;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.worker.Worker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Nothing that a network, a proxy or a server does to the feed's connection silences it, or misleads who listens. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class FeedUnderFaultsTest extends FeedBehindProxy {
    private static final FeedTiming IMPATIENT = new FeedTiming(Duration.ofMillis(300), LONG, LONG);

    private static final FeedTiming DOUBTFUL =
            new FeedTiming(Duration.ofSeconds(10), Duration.ofMillis(200), Duration.ofMillis(300));

    @Test
    void a_broken_connection_is_replaced_and_nothing_is_missed() throws Exception {
        listen(PATIENT);
        for (int n = 0; n < 3; n++) {
            changeAndHear("before-" + n);
            proxy.cut();
            changeAndHear("after-" + n);
        }
        proxy.cutInARow();
        changeAndHear("after a row was cut");
        assertThat(gaps.get()).isPositive();
    }

    @Test
    void a_feed_that_is_refused_or_fails_for_a_while_goes_on() throws Exception {
        listen(PATIENT);
        for (Mode mode : List.of(Mode.FAIL, Mode.REFUSE_POSITION)) {
            int before = proxy.feeds();
            int gapsBefore = gaps.get();
            proxy.mode(mode);
            proxy.cut();
            until(() -> proxy.feeds() > before + 2);
            proxy.mode(Mode.PASS);
            until(() -> proxy.openFeeds() == 1); // what came before that is in the gap
            changeAndHear("after " + mode);
            assertThat(gaps.get()).as("gaps").isGreaterThan(gapsBefore);
        }
    }

    @Test
    void a_refusal_that_does_not_speak_of_the_position_costs_no_change() throws Exception {
        listen(PATIENT);
        changeAndHear("before");
        int feeds = proxy.feeds();
        proxy.failWith(404, "default backend", "no such upstream");
        proxy.cut();
        until(() -> proxy.feeds() > feeds);
        direct.add(JobRequest.builder("email").id("meanwhile").data(Map.of()).build());
        until(() -> proxy.feeds() > feeds + 1);
        proxy.mode(Mode.PASS);

        changeAndHear("after");
        assertThat(heard).contains("job:email:meanwhile");
    }

    @Test
    void a_listener_of_changes_is_told_what_became_of_the_jobs_it_knows_when_the_position_is_lost() throws Exception {
        listen(PATIENT);
        List<String> told = new CopyOnWriteArrayList<>();
        AtomicInteger missed = new AtomicInteger();
        watch.follow(
                JobFilter.all(), change -> told.add(change.id().id() + " " + change.phase()), missed::incrementAndGet);
        changeAndHear("cancelled");
        changeAndHear("removed");
        changeAndHear("same");
        until(() -> told.size() == 3);

        losePosition(() -> {
            direct.cancel("email", "cancelled", CancelMode.IF_QUEUED);
            direct.remove("email", "removed");
        });

        until(() -> told.size() == 5);
        assertThat(told.subList(3, 5)).containsExactlyInAnyOrder("cancelled FINISHED", "removed NOT_FOUND");
        until(() -> missed.get() > 0); // the next position may have been refused, too
    }

    private void losePosition(Runnable meanwhile) throws Exception {
        int feeds = proxy.feeds();
        proxy.mode(Mode.NO_ANSWER);
        proxy.cut();
        until(() -> proxy.feeds() > feeds);
        meanwhile.run();
        proxy.mode(Mode.REFUSE_POSITION);
        proxy.cut();
        until(() -> proxy.feeds() > feeds + 2);
        proxy.mode(Mode.PASS);
    }

    @Test
    void a_silent_connection_and_one_that_is_never_answered_are_replaced() throws Exception {
        listen(IMPATIENT);
        changeAndHear("before the silence");
        proxy.mode(Mode.SILENT);
        int before = proxy.feeds();
        until(() -> proxy.feeds() > before);
        proxy.mode(Mode.NO_ANSWER);
        proxy.cut();
        until(() -> proxy.feeds() > before + 2);
        proxy.mode(Mode.PASS);
        changeAndHear("after the silence");
    }

    @Test
    void a_connection_that_beats_but_brings_no_changes_is_replaced() throws Exception {
        listen(DOUBTFUL);
        proxy.mode(Mode.ONLY_BEATS);
        int before = proxy.feeds();
        direct.add(JobRequest.builder("email").id("swallowed").data(Map.of()).build());
        until(() -> proxy.feeds() > before);
        proxy.mode(Mode.PASS);
        until(() -> heard.contains("job:email:swallowed"));
    }

    @Test
    void a_quiet_connection_is_doubted_but_not_replaced_when_there_is_nothing() throws Exception {
        listen(DOUBTFUL);
        until(() -> proxy.openFeeds() == 1);
        int feeds = proxy.feeds();
        int requests = proxy.requests();
        until(() -> proxy.requests() >= requests + 6);
        assertThat(proxy.feeds()).isEqualTo(feeds);
        changeAndHear("after the quiet");
    }

    @Test
    void a_database_that_is_deleted_and_made_anew_within_a_moment_is_followed() throws Exception {
        listen(DOUBTFUL); // PouchDB goes on to beat for the deleted database
        Subscription lost = subscribed("lost");
        Subscription alsoLost = subscribed("also-lost");

        if (direct.database().info().copies() > 1) { // the numbers of its positions do not tell it either
            makeAnewInAnotherSecondWith("again");
        } else {
            makeAnewWith("again");
        }

        assertThat(next(lost).phase()).isEqualTo(JobPhase.NOT_FOUND);
        assertThat(next(alsoLost).phase()).isEqualTo(JobPhase.NOT_FOUND);
        Subscription again = watch.subscriptions().subscribe(new JobId("email", "again"), this);
        direct.cancel("email", "again", CancelMode.IF_QUEUED);
        assertThat(next(again).phase()).isEqualTo(JobPhase.FINISHED);
    }

    @Test
    void a_database_that_is_made_anew_while_the_feed_connects_is_followed(TestDatabase database) throws Exception {
        assumeThatPositionsTellTheirDatabase(database);
        proxy.mode(Mode.LATE);
        listen(PATIENT);
        Subscription lost = subscribed("lost");
        until(() -> proxy.feeds() >= 1);

        makeAnewInAnotherSecondWith("again"); // with as many changes as before, or more
        proxy.mode(Mode.PASS);

        assertThat(next(lost).phase()).isEqualTo(JobPhase.NOT_FOUND);
    }

    @Test
    void a_database_that_is_made_anew_while_the_feed_connects_again_is_a_gap(TestDatabase database) throws Exception {
        assumeThatPositionsTellTheirDatabase(database);
        listen(PATIENT);
        changeAndHear("lost");
        proxy.mode(Mode.LATE);
        int before = proxy.feeds();
        proxy.cut();
        until(() -> proxy.feeds() > before);

        makeAnewInAnotherSecondWith("again");
        int gapsBefore = gaps.get();
        proxy.mode(Mode.PASS);

        until(() -> gaps.get() > gapsBefore);
    }

    @Test
    void a_change_that_happened_while_the_feed_was_away_is_told_when_it_is_back() throws Exception {
        Subscription finished = subscribed("finished");
        Subscription removed = subscribed("removed");
        int feeds = proxy.feeds();
        proxy.mode(Mode.NO_ANSWER);
        proxy.cut();
        until(() -> proxy.feeds() > feeds);
        direct.cancel("email", "finished", CancelMode.IF_QUEUED);
        direct.remove("email", "removed");
        proxy.mode(Mode.REFUSE_POSITION);
        proxy.cut();

        assertThat(next(finished).phase()).isEqualTo(JobPhase.FINISHED);
        assertThat(next(removed).phase()).isEqualTo(JobPhase.NOT_FOUND);
    }

    @Test
    void a_document_that_is_nested_deeper_than_parsers_go_stops_no_feed(TestDatabase database) throws Exception {
        listen(PATIENT);
        changeAndHear("before");
        int depth = 1_100;
        int status = put(database, "deep", "{\"a\":" + "[".repeat(depth) + "]".repeat(depth) + "}");
        assumeThat(status).as("a server that stores it").isEqualTo(201);

        changeAndHear("after");
        until(() -> heard.contains("deep"));
        proxy.cut();
        changeAndHear("later");
    }

    @Test
    void a_job_that_retention_deleted_is_told_as_such_behind_a_row_that_cannot_be_read() throws Exception {
        listen(PATIENT);
        Set<String> retired = ConcurrentHashMap.newKeySet();
        feed.listen(event -> {
            if (event.isRetired()) {
                retired.add(event.docId());
            }
        });
        changeAndHear("1");
        proxy.mode(Mode.ONLY_BEATS); // so that the row comes by itself alone
        String rev = direct.get("email", "1").orElseThrow().rev().orElseThrow();
        ObjectNode tombstone = Tombstone.of("job:email:1", rev);
        direct.database().put(tombstone.put("removedBy", "retention").put("status", "success"));
        proxy.send("{\"seq\":\"9-x\",\"id\":\"x\",\"doc\":{\"twice\":1,\"twice\":2}}\n");
        until(() -> retired.contains("job:email:1"));
    }

    @Test
    void a_listener_hears_the_end_of_each_of_many_quick_jobs(TestDatabase database) throws Exception {
        // PouchDB Server, one process for all tests' databases, takes ten times as long and longer the more there are.
        int many = database.serverName().contains("PouchDB") ? 200 : 1000;
        listen(PATIENT);
        Set<String> done = ConcurrentHashMap.newKeySet();
        AtomicInteger ends = new AtomicInteger();
        follow(watch, change -> {
            if (change.phase() == JobPhase.FINISHED) {
                done.add(change.id().id());
                ends.incrementAndGet();
            }
        });
        List<JobRequest> jobs = IntStream.range(0, many)
                .mapToObj(n ->
                        JobRequest.builder("email").id("" + n).data(Map.of()).build())
                .toList();
        try (Worker worker = direct.worker()
                .concurrency(20)
                .handler("email", (data, context) -> null)
                .start()) {
            direct.addAll(jobs);
            until(() -> worker.stats().succeeded() == many);
            until(() -> done.size() == many);
        }
        assertThat(ends.get()).isEqualTo(many);
    }

    @Test
    void a_listener_that_blocks_for_ever_holds_up_nobody() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        listen(PATIENT);
        follow(watch, change -> uninterruptibly(never));
        for (int n = 0; n < 200; n++) {
            direct.add(JobRequest.builder("email").id("" + n).data(Map.of()).build());
        }
        until(() -> heard.size() >= 200);
        never.countDown();
    }

    private static void assumeThatPositionsTellTheirDatabase(TestDatabase database) {
        assumeThat(database.serverName()).as("positions are mere numbers").doesNotContain("PouchDB");
    }

    private void makeAnewWith(String id) {
        direct.database().delete();
        direct.operations().init();
        direct.add(JobRequest.builder("email").id(id).data(Map.of()).build());
    }

    /** Of one that is made anew within the same second, CouchDB does not tell that it is another one. */
    private void makeAnewInAnotherSecondWith(String id) throws Exception {
        long former = direct.database().info().created();
        until(() -> {
            direct.database().delete();
            direct.database().createIfMissing();
            return former == 0 || direct.database().info().created() != former;
        });
        direct.operations().init();
        direct.add(JobRequest.builder("email").id(id).data(Map.of()).build());
    }

    private static int put(TestDatabase database, String id, String json) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(database.url() + "/" + id))
                .PUT(HttpRequest.BodyPublishers.ofString(json));
        database.user().ifPresent(user -> {
            String credentials = user + ":" + database.password().orElse("");
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
        });
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            latch.await(1, TimeUnit.HOURS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

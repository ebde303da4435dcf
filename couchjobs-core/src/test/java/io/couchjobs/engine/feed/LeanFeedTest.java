package io.couchjobs.engine.feed;

import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.conflict.ConflictWatch;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.engine.store.OwnWrites;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AttachedData;
import io.couchjobs.testing.FeedProxy;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A feed of which hardly anybody needs the documents brings none, and nobody misses anything. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class LeanFeedTest {
    private static final String DOCUMENT = "\"doc\":";

    private FeedProxy proxy;
    private JobQueue behind;
    private JobQueue direct;
    private CouchDatabase database;
    private Feed feed;
    private final Needing listener = new Needing();

    /** Needs the documents of some jobs, and notes what it is told. */
    private static final class Needing implements FeedListener {
        private final Map<String, FeedEvent> read = new ConcurrentHashMap<>();
        private final Map<String, FeedNotice> unread = new ConcurrentHashMap<>();
        private final Set<String> needed = ConcurrentHashMap.newKeySet();
        private final AtomicInteger skips = new AtomicInteger();
        private volatile boolean needsAll;
        private volatile boolean needsEach = true;
        private volatile Duration patience = Duration.ofMillis(10);

        @Override
        public void changed(FeedEvent event) {
            read.put(event.docId(), event);
        }

        @Override
        public boolean needsDocument(FeedNotice notice) {
            return needsAll || needed.contains(notice.docId());
        }

        @Override
        public Duration patience() {
            return patience;
        }

        @Override
        public void unread(FeedNotice notice) {
            unread.put(notice.docId(), notice);
        }

        @Override
        public boolean needsEach() {
            return needsEach;
        }

        @Override
        public void skipped() {
            skips.incrementAndGet();
        }

        private boolean knows(String docId) {
            return read.containsKey(docId) || unread.containsKey(docId);
        }
    }

    @BeforeEach
    void open(TestDatabase server) throws IOException {
        proxy = new FeedProxy(server);
        behind = proxy.queue().open();
        direct = TestQueue.open(server);
        database = direct.database();
    }

    @AfterEach
    void close() {
        feed.close();
        behind.close();
        direct.close();
        proxy.close();
    }

    @Test
    void documents_that_nobody_needs_do_not_come() throws Exception {
        listen(LeanFeeds.always(store()));
        write(jobs(0, 100));
        database.put(Jobs.json("{'_id':'log:email:1:0000000000000001:00000001','lines':[]}"));
        until(() -> listener.unread.size() == 101);
        assertThat(listener.unread.get("job:email:7").rev()).startsWith("1-");
        assertThat(listener.unread.get("job:email:7").deleted()).isFalse();
        assertThat(proxy.readingsWith(DOCUMENT)).isZero();
        assertThat(listener.read).isEmpty();
    }

    @Test
    void those_that_somebody_needs_are_read() throws Exception {
        listener.needed.addAll(Set.of("job:email:1", "job:email:2", "job:email:3"));
        listen(LeanFeeds.always(store()));
        write(jobs(0, 10));
        until(() -> listener.read.size() == 3 && listener.unread.size() == 7);
        ObjectNode document = listener.read.get("job:email:2").document();
        assertThat(document).isNotNull();
        assertThat(document.path("data").path("n").asInt()).isEqualTo(2);

        String rev = document.path("_rev").asText();
        database.put(
                Tombstone.of("job:email:2", rev).put("removedBy", "retention").put("status", "success"));
        until(() -> listener.read.get("job:email:2").deleted());
        assertThat(listener.read.get("job:email:2").isRetired()).isTrue();
    }

    @Test
    void a_document_that_is_no_job_is_always_read() throws Exception {
        listen(LeanFeeds.always(store()));
        database.put(Jobs.json("{'_id':'type:email','paused':true}"));
        until(() -> listener.read.containsKey("type:email"));
        ObjectNode document = listener.read.get("type:email").document();
        assertThat(document).isNotNull();
        assertThat(document.path("paused").asBoolean()).isTrue();
        assertThat(proxy.readingsWith(DOCUMENT)).isZero();
    }

    @Test
    void a_conflict_is_seen_and_resolved_though_nobody_needs_the_document(TestDatabase server) throws Exception {
        JobWriter writer = Stores.writer(behind.database());
        JobIndex index = new JobIndex(new DesignDocuments(behind.database()));
        ServerClock clock = TestQueue.clock(
                java.time.InstantSource.system(), behind.database().server());
        SettingsStore settings = new SettingsStore(behind.database(), TestQueue.PATIENCE);
        try (ConflictWatch conflicts = new ConflictWatch(writer, index, settings, clock)) {
            listen(LeanFeeds.always(new JobStore(writer, conflicts, List.of(), AttachedData.DEFAULT_LIMIT), conflicts));
            Replicated.into(
                    server,
                    Replicated.leaf(2, 'a', "'status':'success','data':{},'fence':3"),
                    Replicated.leaf(2, 'b', "'status':'waiting','data':{}"));
            until(() -> conflicts.stats().resolved() > 0);
        }
    }

    @Test
    @NeedsOneCopy("documents are always asked for")
    void it_changes_to_and_fro_as_documents_are_needed_and_nothing_is_missed() throws Exception {
        listen(changing());
        List<String> all = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            boolean needed = round % 2 == 1;
            listener.needsAll = needed;
            List<ObjectNode> jobs = jobs(round * 1_000, round * 1_000 + 60);
            jobs.forEach(job -> all.add(job.path("_id").asText()));
            int feeds = proxy.feeds();
            int readings = proxy.readings();
            write(jobs);
            until(() -> all.stream().allMatch(listener::knows));
            until(() -> needed ? proxy.feeds() > feeds : proxy.readings() > readings);
        }
        assertThat(listener.read.keySet()).as("of a round that needed them").contains("job:email:1059");
        assertThat(listener.unread.keySet()).as("of others").anyMatch(docId -> docId.matches("job:email:20.."));
    }

    @ParameterizedTest
    @CsvSource({
        "401, unauthorized, exp not in future",
        "403, forbidden, You are not allowed to access this db.",
        "404, default backend, no such upstream",
        "400, bad_request, Malformed sequence supplied in 'since' parameter.",
    })
    @NeedsOneCopy("documents are always asked for")
    void documents_are_left_out_again_after_a_reading_without_them_was_refused_for_a_moment(
            int status, String error, String reason) throws Exception {
        listen(changing());
        proxy.failNextReading(status, error, reason);
        AtomicInteger last = new AtomicInteger();
        until(() -> writesMore(last) && proxy.refusals() == 1);
        until(() -> writesMore(last) && proxy.readings() > 0 && !listener.unread.isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"400, bad_request, invalid_integer", "405, method_not_allowed, Only HEAD allowed"})
    @NeedsOneCopy("documents are always asked for")
    void a_server_that_cannot_leave_documents_out_is_not_asked_to_again(int status, String error, String reason)
            throws Exception {
        listen(changing());
        proxy.failNextReading(status, error, reason);
        AtomicInteger last = new AtomicInteger();
        until(() -> writesMore(last) && proxy.refusals() == 1);
        until(() -> proxy.openFeeds() == 1);
        int from = last.get();
        until(() -> writesMore(last) && last.get() > from + 10);
        until(() -> IntStream.range(0, last.get()).allMatch(n -> listener.knows("job:email:" + n)));
        assertThat(listener.unread).isEmpty();
    }

    @Test
    @NeedsOneCopy("documents are always asked for")
    void a_document_that_changes_several_times_in_a_pause_comes_once() throws Exception {
        listener.patience = Duration.ofSeconds(2);
        listen(LeanFeeds.always(store()));
        Held endOfPause = proxy.holdNextReading();
        endOfPause.awaitArrival();
        String rev = put("{'_id':'job:email:1','data':{}}");
        rev = put("{'_id':'job:email:1','_rev':'" + rev + "','data':{'n':2}}");
        put("{'_id':'job:email:1','_rev':'" + rev + "','data':{'n':3}}");
        Held endOfNext = proxy.holdNextReading();
        long began = System.nanoTime();
        endOfPause.release();
        endOfNext.awaitArrival();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(listener.patience);
        endOfNext.release();
        until(() -> listener.unread.containsKey("job:email:1"));
        assertThat(listener.unread.get("job:email:1").rev()).startsWith("3-");
        assertThat(proxy.readingsWith("job:email:1")).isEqualTo(1);
    }

    @Test
    @NeedsOneCopy("nothing is skipped")
    void in_a_fleet_rows_that_concern_nobody_are_skipped_until_somebody_needs_each() throws Exception {
        listener.needsEach = false;
        listener.patience = Duration.ofMillis(100);
        listen(LeanFeeds.skipping(store()));
        AtomicInteger last = new AtomicInteger();
        until(() -> writesMore(last) && listener.skips.get() > 2);
        int told = listener.unread.size();
        assertThat(told).as("rows that were told of").isLessThan(last.get());

        listener.needsEach = true;
        until(() -> writesMore(last) && listener.unread.size() > told);
        int skips = listener.skips.get();
        int from = last.get();
        until(() -> writesMore(last) && last.get() > from + 10);
        until(() -> IntStream.range(from, last.get()).allMatch(n -> listener.knows("job:email:" + n)));
        assertThat(listener.skips).hasValue(skips);
    }

    @Test
    @NeedsOneCopy("nothing is skipped")
    void few_workers_hear_of_each_row() throws Exception {
        listener.needsEach = false;
        listener.patience = Duration.ofMillis(80);
        listen(LeanFeeds.skipping(store()));
        AtomicInteger last = new AtomicInteger();
        until(() -> writesMore(last) && last.get() > 30);
        until(() -> IntStream.range(0, last.get()).allMatch(n -> listener.knows("job:email:" + n)));
        assertThat(listener.skips).hasValue(0);
    }

    /** One that changes with each row. */
    private Feed changing() {
        return new Feed(
                behind.database(),
                FeedTiming.DEFAULT,
                new OwnWrites(),
                new FeedPace(new FeedPace.Limits(1, 0, 0), System.nanoTime()),
                List.of());
    }

    /** Writes three more jobs; always true. */
    private boolean writesMore(AtomicInteger last) {
        write(jobs(last.get(), last.get() + 3));
        last.addAndGet(3);
        return true;
    }

    private String put(String document) {
        return ((WriteResult.Stored) database.put(Jobs.json(document))).rev();
    }

    private JobStore store() {
        return Stores.of(behind.database());
    }

    private void listen(Feed made) throws Exception {
        feed = made;
        feed.listen(listener);
        until(() -> proxy.openFeeds() == 1 || proxy.readings() > 0);
    }

    private static List<ObjectNode> jobs(int from, int to) {
        List<ObjectNode> jobs = new ArrayList<>();
        for (int n = from; n < to; n++) {
            jobs.add(Jobs.json("{'_id':'job:email:" + n + "','data':{'n':" + n + "}}"));
        }
        return jobs;
    }

    private void write(List<ObjectNode> jobs) {
        assertThat(database.bulkDocs(jobs)).allMatch(WriteResult.Stored.class::isInstance);
    }
}

package io.couchjobs.engine.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.Faults;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobId;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Submitted jobs whose ends the feed may have missed. */
class EndsAfterAGapTest extends FaultyServer {
    private static final Scope ONE = Scope.of("index", 1);

    private final Map<String, Ending.Outcome> told = new ConcurrentHashMap<>();
    private final List<String> reads = new CopyOnWriteArrayList<>();
    private JobStore store;
    private Feed feed;
    private EndNotifier notifier;

    @BeforeEach
    void openNotifier() {
        couch.faults().delay(Integer.MAX_VALUE, request -> request.path().endsWith("/_changes"));
        store = Stores.of(queue.database());
        feed = Feeds.of(queue.database());
        notifier = new EndNotifier(feed, store);
    }

    @AfterEach
    void closeNotifier() {
        couch.faults().clear();
        notifier.close();
        feed.close();
        store.close();
    }

    @Test
    void after_a_gap_the_present_jobs_are_read_by_one_request() throws Exception {
        for (int i = 0; i < 20; i++) {
            submit("job-" + i);
        }
        queue.cancel(id("job-1"), CancelMode.REQUEST);
        queue.remove(id("job-2"));
        couch.faults().cut(0, this::noteRead);

        notifier.gap();
        TestQueue.until(() -> told.size() == 2);

        assertThat(told)
                .containsOnly(Map.entry("job-1", Ending.Outcome.CANCELLED), Map.entry("job-2", Ending.Outcome.REMOVED));
        assertThat(reads).singleElement().asString().endsWith("job-2");
    }

    @Test
    void after_a_gap_ends_are_told_as_soon_as_jobs_can_be_read() throws Exception {
        submit("job-1");
        queue.cancel(id("job-1"), CancelMode.REQUEST);
        couch.faults().answer(3, request -> request.path().endsWith("/_all_docs"), 500);
        notifier.gap();
        TestQueue.until(() -> told.containsKey("job-1"));
    }

    private boolean noteRead(Faults.Request request) {
        if (request.method().equals("GET") && request.path().startsWith("/jobs/job")) {
            reads.add(request.path());
        }
        return false;
    }

    private void submit(String name) {
        JobId id = id(name);
        EndNotifier.Expected expected = notifier.expect(ONE, id, ending -> told.put(name, ending.outcome()))
                .orElseThrow();
        add(id.type(), id.id());
        notifier.stored(expected, store.read(id).orElseThrow());
    }

    private static JobId id(String name) {
        return ONE.job(name);
    }
}

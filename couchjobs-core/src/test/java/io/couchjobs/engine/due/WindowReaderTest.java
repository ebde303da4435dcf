package io.couchjobs.engine.due;

import static io.couchjobs.engine.due.WindowReader.FIRST;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ViewQuery.Update;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.due.share.SegmentProgress;
import io.couchjobs.engine.due.share.WorkerRanking;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Site;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a worker reads of a long line that it shares with one that never comes. */
@ServerTest
class WindowReaderTest {
    private static final int JOBS = 1_000;
    private static final int FAR = 500;
    private static final AcceptOptions MANY = AcceptOptions.of("email").max(201);
    /** Of two workers. */
    private static final int WINDOW = 2 * 201;

    private final AtomicLong nanos = new AtomicLong();
    private final Object monitor = new Object();
    private final Set<String> taken = new HashSet<>();
    private final KnownJobs stock = new KnownJobs(new SegmentProgress(FAR));
    private JobQueue queue;
    private JobIndex index;
    private WindowReader windows;

    @BeforeEach
    void fill(TestDatabase database) {
        queue = TestQueue.open(database);
        queue.addAll(IntStream.range(0, JOBS).mapToObj(WindowReaderTest::job).toList());
        ObjectNode registration = JsonNodeFactory.instance.objectNode();
        registration.put("_id", "worker:ghost").putArray("types").add("email");
        queue.database().put(registration);

        WorkerRanking ranking = new WorkerRanking("here", Site.UNNAMED);
        ranking.load(queue.database());
        index = new JobIndex(new DesignDocuments(queue.database()));
        windows = windows(ranking);
    }

    private WindowReader windows(WorkerRanking ranking) {
        return new WindowReader(
                index,
                new ServerClock(InstantSource.system(), () -> Duration.ZERO, nanos::get),
                Environment.REAL,
                ranking,
                monitor,
                taken);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    @NeedsOneCopy("the copy of the index that is read may lag behind for a moment")
    void jobs_that_another_worker_leaves_behind_are_found_on_the_way() {
        Set<String> ours = next();
        assertThat(ours).as("a share of the first window").isNotEmpty().hasSizeLessThan(WINDOW);
        String left = IntStream.range(0, WINDOW)
                .mapToObj(i -> docId(i))
                .filter(id -> !ours.contains(id))
                .findFirst()
                .orElseThrow();

        assertThat(next()).as("the second, after which we are far ahead").contains(left);
        assertThat(last()).isBetween(WINDOW, 2 * WINDOW - 1);
        next();
        assertThat(last()).as("and we go on from where we were").isGreaterThanOrEqualTo(2 * WINDOW);
    }

    @Test
    @NeedsOneCopy("the copy of the index that is read may lag behind for a moment")
    void a_job_of_an_earlier_place_that_was_told_of_without_its_document_is_found_on_the_way() {
        windows = windows(new WorkerRanking("alone", Site.UNNAMED));
        assertThat(next()).hasSizeGreaterThanOrEqualTo(FIRST);
        Job early = queue.add(
                        JobRequest.builder("email").id("early").data(Map.of()).build())
                .job()
                .orElseThrow();
        synchronized (monitor) {
            stock.unread(
                    new FeedNotice(early.id().docId(), List.of(early.rev().orElseThrow()), false, false), nanos.get());
        }
        index.pending(
                "email",
                Optional.empty(),
                Update.TRUE,
                1,
                UnaryOperator.identity()); // looks on the way do not bring it up to date
        boolean isFound = false;
        while (!isFound && taken.size() < JOBS - FIRST) {
            nanos.addAndGet(Duration.ofSeconds(11).toNanos());
            isFound = next().contains(early.id().docId());
        }
        assertThat(isFound).isTrue();
    }

    /** The jobs that are known after one more look, which are then taken. */
    private Set<String> next() {
        windows.refill("email", stock, Instant.now(), MANY, true);
        return known();
    }

    private Set<String> known() {
        synchronized (monitor) {
            List<Job> known = stock.backlog().due(Instant.now(), JOBS);
            stock.removeAll(known);
            Set<String> ids = new HashSet<>();
            known.forEach(job -> ids.add(job.id().docId()));
            taken.addAll(ids);
            return ids;
        }
    }

    private int last() {
        return taken.stream()
                .mapToInt(id -> Integer.parseInt(id.substring(id.length() - 4)))
                .max()
                .orElse(-1);
    }

    private static JobRequest job(int number) {
        return JobRequest.builder("email").id(id(number)).data(Map.of()).build();
    }

    private static String docId(int number) {
        return new JobId("email", id(number)).docId();
    }

    private static String id(int number) {
        return "job-%04d".formatted(number);
    }
}

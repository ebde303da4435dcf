package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.Strategy;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Documents that others wrote, with a scheduledTime in epoch seconds. */
@ServerTest
@Timeout(120)
class TimesInSecondsTest extends OpenQueue {
    private static final long FUTURE = 4_000_000_000L;
    private static final long PAST = 1_600_000_000L;

    @Test
    void a_job_of_the_future_is_not_claimed_before_its_time() throws Exception {
        write("1", "'scheduledTime':" + FUTURE);
        assertThat(accept(AcceptOptions.of("email"))).isEmpty();
        assertThat(accept(AcceptOptions.of("email").noSchedule(true))).isEmpty();
        assertThat(accept(AcceptOptions.of("email").strategy(Strategy.fair(2, 1))))
                .isEmpty();
        assertThat(queue.types().pendingCount("email", Instant.now(), 10)).isZero();
        assertThat(queue.types().pendingCount("email", Instant.ofEpochSecond(FUTURE), 10))
                .isOne();
        assertThat(accept(AcceptOptions.of("email").maxScheduledTime(Instant.ofEpochSecond(FUTURE - 1))))
                .isEmpty();
        assertThat(accept(AcceptOptions.of("email").maxScheduledTime(Instant.ofEpochSecond(FUTURE))))
                .hasSize(1);
    }

    @Test
    void a_claim_and_all_that_follows_it_write_milliseconds() throws Exception {
        write("1", "'scheduledTime':" + PAST);
        ClaimedJob claim = accept(AcceptOptions.of("email")).get(0);
        assertThat(stored("1").path("scheduledTime").asLong()).isEqualTo(PAST * 1000);
        claim.release();
        assertThat(stored("1").path("scheduledTime").asLong()).isEqualTo(PAST * 1000);
    }

    @Test
    void a_run_that_others_ask_for_in_seconds_begins_at_its_time() throws Exception {
        write("1", "'data':{}");
        ClaimedJob claim = accept(AcceptOptions.of("email")).get(0);
        ObjectNode running = stored("1");
        running.putObject("resubmit").put("scheduledTime", FUTURE);
        queue.database().put(running);
        claim.finish();
        assertThat(queue.get("email", "1").orElseThrow().scheduledTime()).isEqualTo(Instant.ofEpochSecond(FUTURE));
        assertThat(stored("1").path("scheduledTime").asLong()).isEqualTo(FUTURE * 1000);
    }

    @Test
    void jobs_in_seconds_and_in_milliseconds_come_in_one_order() throws Exception {
        write("b", "'scheduledTime':" + (PAST + 1));
        write("c", "'scheduledTime':" + (PAST + 2) * 1000);
        write("a", "'scheduledTime':" + PAST * 1000);
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            order.add(accept(AcceptOptions.of("email")).get(0).id().id());
        }
        assertThat(order).containsExactly("a", "b", "c");
        assertThat(queue.list(JobFilter.all().type("email"), 10))
                .as("the newest first, as far as they say")
                .extracting(job -> job.id().id())
                .containsExactly("c", "b", "a");
    }

    @Test
    void the_index_and_java_read_the_same_time() {
        long[] times = {0, 1, 99_999_999, 100_000_000, PAST, 99_999_999_999L, 100_000_000_000L, PAST * 1000, -1, -1000};
        for (long time : times) {
            write("t" + time, "'scheduledTime':" + time);
        }
        queue.operations().init();
        List<ViewResult.Row> rows = queue.database()
                .view(ViewQuery.of(DesignDocument.JOBS.versionedName(), "due").includeDocs(true))
                .rows();
        assertThat(rows).hasSize(times.length).allSatisfy(row -> assertThat(
                        row.key().path(1).asLong())
                .as(String.valueOf(row.id()))
                .isEqualTo(Job.parse(java.util.Objects.requireNonNull(row.doc()))
                        .scheduledTime()
                        .toEpochMilli()));
    }

    @Test
    void jobs_that_wait_for_a_time_in_seconds_can_be_listed_for_a_hint() {
        write("seconds", "'scheduledTime':" + FUTURE);
        write("millis", "'scheduledTime':" + FUTURE * 1000);
        write("ended", "'status':'success','scheduledTime':" + PAST);
        JobIndex index = new JobIndex(
                new DesignDocuments(queue.database()), queue.operations().site());
        assertThat(index.timesInSeconds()).containsExactly("job:email:seconds");
        assertThat(queue.operations().malformed()).isEmpty();
    }

    private void write(String id, String fields) {
        queue.database().put(Jobs.json("{'_id':'job:email:" + id + "'," + fields + "}"));
    }

    private ObjectNode stored(String id) {
        return queue.database().get("job:email:" + id).orElseThrow();
    }

    private List<ClaimedJob> accept(AcceptOptions options) throws InterruptedException {
        return queue.accept(options.timeout(Duration.ZERO));
    }
}

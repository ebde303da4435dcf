package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Listening;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.TcpProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Jobs are added at every point of an accept's first look: while its position in the feed, the question to the index or the
 * answer is under way, with the feed's own row before or after it. An accept that missed one would wait for a minute.
 */
@Execution(ExecutionMode.CONCURRENT)
class LostWakeUpsTest {
    private static final AcceptOptions ACCEPT = AcceptOptions.of("email").timeout(Duration.ofMinutes(1));
    private static final String POSITION = "GET /jobs HTTP";
    private static final String INDEX = "_view/due";
    private static final String FEED = "/jobs/_changes";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
    private TcpProxy proxy;
    private JobQueue creator;
    private JobQueue queue;

    @BeforeEach
    void open() throws Exception {
        creator = JobQueue.builder(couch.url() + "jobs").renewLeases(false).open();
        proxy = new TcpProxy(couch.url());
        queue = JobQueue.builder(proxy.url() + "jobs").renewLeases(false).open();
    }

    @AfterEach
    void close() throws Exception {
        couch.faults().clear();
        proxy.close();
        queue.close();
        creator.close();
        couch.close();
        threads.shutdownNow();
    }

    enum When {
        THE_POSITION_IS_KNOWN,
        THE_INDEX_IS_ASKED,
        THE_INDEX_HAS_ANSWERED
    }

    @ParameterizedTest
    @EnumSource(When.class)
    void a_job_added_while_(When when) throws Exception {
        assertAccepted(when, false);
    }

    @ParameterizedTest
    @EnumSource(When.class)
    void a_job_that_the_feed_tells_last_added_while_(When when) throws Exception {
        assertAccepted(when, true);
    }

    private void assertAccepted(When when, boolean feedIsLate) throws Exception {
        TcpProxy.Gate feed = proxy.hold(feedIsLate ? FEED : "nothing");
        TcpProxy.Gate position = proxy.hold(when == When.THE_POSITION_IS_KNOWN ? POSITION : "nothing");
        Faults.Held index = couch.faults()
                .delay(when == When.THE_INDEX_IS_ASKED ? 1 : 0, r -> r.path().contains(INDEX));
        TcpProxy.Gate answer = proxy.hold(when == When.THE_INDEX_HAS_ANSWERED ? INDEX : "nothing");

        Future<List<ClaimedJob>> accept = threads.submit(() -> queue.accept(ACCEPT));
        switch (when) {
            case THE_POSITION_IS_KNOWN -> position.awaitAnswer();
            case THE_INDEX_IS_ASKED -> assertThat(index.awaitArrival(30)).isTrue();
            case THE_INDEX_HAS_ANSWERED -> answer.awaitAnswer();
        }
        creator.add("email", Map.of());
        position.open();
        index.release();
        answer.open();
        feed.open();
        assertThat(accept.get(20, TimeUnit.SECONDS)).hasSize(1);
    }

    @Test
    void a_window_of_jobs_for_later_that_were_all_cancelled_does_not_hide_the_next_one() throws Exception {
        Instant later = Instant.now().plusSeconds(3600);
        List<ObjectNode> jobs = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            jobs.add(Jobs.json(
                    "{'_id':'job:email:" + (1000 + i) + "','scheduledTime':" + (later.toEpochMilli() + i) + "}"));
        }
        jobs.add(Jobs.json("{'_id':'job:email:next','scheduledTime':" + (later.toEpochMilli() + 200) + "}"));
        List<WriteResult> written = creator.database().bulkDocs(jobs);
        AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
        queue.close();
        queue = JobQueue.builder(proxy.url() + "jobs")
                .renewLeases(false)
                .settableClock(() -> Instant.now().plus(ahead.get()))
                .open();
        TcpProxy.Gate answer = proxy.hold(INDEX);
        Future<List<ClaimedJob>> accept = threads.submit(() -> queue.accept(ACCEPT));
        answer.awaitAnswer();
        answer.open();
        for (int i = 0; i < 200; i++) {
            String rev = ((WriteResult.Stored) written.get(i)).rev();
            jobs.get(i).put("_rev", rev).put("_deleted", true);
        }
        creator.database().bulkDocs(jobs.subList(0, 200));
        ahead.set(Duration.between(Instant.now(), later.minusSeconds(1)));
        creator.types().setTimeout("sms", Duration.ofMinutes(5)); // a sleeper looks at its clock after any such change
        assertThat(accept.get(50, TimeUnit.SECONDS).get(0).id().id()).isEqualTo("next");
    }

    @Test
    void more_jobs_than_are_remembered_added_while_the_index_answers_are_all_accepted() throws Exception {
        TcpProxy.Gate answer = proxy.hold(INDEX);
        Future<Integer> accepted = threads.submit(() -> {
            int sum = 0;
            while (sum < 2_500) {
                sum += queue.accept(ACCEPT.max(500)).size();
            }
            return sum;
        });
        answer.awaitAnswer();
        for (int batch = 0; batch < 5; batch++) {
            creator.addAll(Collections.nCopies(500, Instant.EPOCH).stream()
                    .map(time -> request(UUID.randomUUID().toString(), time))
                    .toList());
        }
        answer.open();
        assertThat(accepted.get(40, TimeUnit.SECONDS)).isEqualTo(2_500);
    }

    @Test
    void a_job_of_a_database_that_was_deleted_and_made_anew_is_accepted_though_its_namesake_was_for_later()
            throws Exception {
        creator.add(request("1", Instant.now().plusSeconds(3600)));
        TcpProxy.Gate answer = proxy.hold(INDEX);
        Future<List<ClaimedJob>> accept = threads.submit(() -> queue.accept(ACCEPT));
        answer.awaitAnswer();
        answer.open();
        creator.database().delete();
        creator.operations().init();
        creator.add(request("1", Instant.EPOCH));
        assertThat(accept.get(50, TimeUnit.SECONDS)).hasSize(1);
    }

    @Test
    void a_server_that_refuses_every_claim_does_not_hold_an_accept_beyond_its_time() throws Exception {
        creator.database()
                .put(
                        Jobs.json(
                                "{'_id':'_design/rules','validate_doc_update':"
                                        + "'function (doc) { if (doc.status === \\\"running\\\") { throw {forbidden: \\\"no\\\"}; } }'}"));
        for (int i = 0; i < 300; i++) {
            creator.database().put(Jobs.json("{'_id':'job:email:" + i + "'}"));
        }
        Future<List<ClaimedJob>> accept = threads.submit(() -> queue.accept(ACCEPT.timeout(Duration.ofMillis(300))));
        assertThat(accept.get(20, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void a_first_look_that_hangs_does_not_keep_news_from_others_in_the_process() throws Exception {
        TcpProxy.Gate registrations = proxy.hold("_all_docs");
        CountDownLatch heard = new CountDownLatch(1);
        try (Listening watching = queue.watch(JobFilter.all(), change -> heard.countDown())) {
            Future<List<ClaimedJob>> accept = threads.submit(() -> queue.accept(ACCEPT));
            registrations.awaitAnswer();
            creator.types().setTimeout("email", Duration.ofMinutes(5));
            creator.add("email", Map.of());
            assertThat(heard.await(20, TimeUnit.SECONDS)).isTrue();
            registrations.open();
            assertThat(accept.get(20, TimeUnit.SECONDS)).hasSize(1);
            assertThat(watching).isNotNull();
        }
    }

    private static JobRequest request(String id, Instant time) {
        return JobRequest.builder("email")
                .id(id)
                .data(Map.of())
                .scheduledTime(time)
                .build();
    }
}

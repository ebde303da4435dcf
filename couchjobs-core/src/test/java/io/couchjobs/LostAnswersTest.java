package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.testing.WritingVerb;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server stores a write and its answer is lost: the verb ends as if nothing had happened. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
@NeedsOneCopy("a write whose answer was lost is confirmed by a second one")
class LostAnswersTest {
    private TestDatabase database;
    private Proxy proxy;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase own) {
        database = own;
        proxy = Proxy.before(own.server());
        queue = TestQueue.open(proxy.door(own));
    }

    @AfterEach
    void close() {
        queue.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource(WritingVerb.class)
    void every_verb_ends_in_the_same_state_as_without_the_fault(WritingVerb verb) throws Exception {
        Optional<ClaimedJob> claim = verb.prepare(queue);
        verb.act(queue, claim);
        List<String> expected = state(queue);

        for (int lost = 0; lost < verb.writes(); lost++) {
            TestDatabase other = new TestDatabase(database.server(), database.name() + "-" + lost);
            try (JobQueue second = TestQueue.standing(proxy.door(other))) {
                Optional<ClaimedJob> again = verb.prepare(second);
                Lost fault = proxy.loseAnswers(1, new Nth(lost, LostAnswersTest::isWrite));
                verb.act(second, again);
                assertThat(fault.count()).as("answers lost").isEqualTo(1);
                assertThat(state(second)).as("with answer %d lost", lost).isEqualTo(expected);
                proxy.clear();
                second.database().delete();
            }
        }
    }

    @Test
    void a_finish_whose_answer_and_whose_settling_are_lost_succeeds_when_it_is_called_again() throws Exception {
        ClaimedJob claim = WritingVerb.FINISH.prepare(queue).orElseThrow();
        proxy.loseAnswers(1, LostAnswersTest::isWrite);
        proxy.loseRequests(20, Proxy.Request::isLookup);
        assertThatThrownBy(() -> claim.finish("done")).isInstanceOf(CouchException.class);
        proxy.clear();
        claim.finish("done");
        Job job = queue.get("email", "1").orElseThrow();
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job.result().orElseThrow().asText()).isEqualTo("done");
    }

    @Test
    void a_start_whose_answer_and_whose_settling_are_lost_succeeds_when_it_is_called_again() throws Exception {
        ClaimedJob claim = WritingVerb.START.prepare(queue).orElseThrow();
        proxy.loseAnswers(1, LostAnswersTest::isWrite);
        proxy.loseRequests(20, Proxy.Request::isLookup);
        assertThatThrownBy(claim::start).isInstanceOf(CouchException.class);
        proxy.clear();
        assertThat(claim.start().status()).isEqualTo(JobStatus.RUNNING);
        claim.finish("done");
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_job_that_runs_and_was_removed_cannot_be_started_again() throws Exception {
        ClaimedJob claim = WritingVerb.START.prepare(queue).orElseThrow();
        claim.start();
        assertThat(claim.start().status()).isEqualTo(JobStatus.RUNNING);
        queue.remove(claim.id());
        assertThatThrownBy(claim::start).isInstanceOf(HaltException.class);
    }

    /** As when its process that validates documents dies, which it answers by a row of its own. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_finish_on_which_the_server_fails_for_a_while_succeeds(boolean isStored) throws Exception {
        ClaimedJob claim = WritingVerb.FINISH.prepare(queue).orElseThrow();
        AtomicInteger failures = new AtomicInteger();
        proxy.detour(new FailsOnDocuments(isStored, failures, 7));
        claim.finish("done");
        assertThat(failures).as("failures").hasPositiveValue();
        Job job = queue.get("email", "1").orElseThrow();
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job.result().orElseThrow().asText()).isEqualTo("done");
    }

    @Test
    void a_claim_on_which_the_server_fails_once_is_made() throws Exception {
        WritingVerb.CLAIM.prepare(queue);
        proxy.detour(new FailsOnDocuments(true, new AtomicInteger(), 1));
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .hasSize(1);
    }

    @Test
    void a_claim_on_which_the_server_fails_each_time_uses_up_one_start_of_a_rate_and_gives_back_one() throws Exception {
        queue.close();
        queue = TestQueue.standing(proxy.door(database));
        queue.types().change("email", type -> type.withRate(new Rate(1, Duration.ofHours(20))));
        WritingVerb.CLAIM.prepare(queue);
        proxy.detour(new FailsOnDocuments(false, new AtomicInteger(), 1000));
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .isEmpty();
        proxy.clear();
        queue.remove(new JobId("email", "1"));
        queue.add(JobRequest.builder("email").id("2").data(Map.of()).build());
        queue.add(JobRequest.builder("email").id("3").data(Map.of()).build());
        assertThat(queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE)))
                .hasSize(1);
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(2))))
                .isEmpty();
    }

    @Test
    void a_job_on_which_the_server_fails_holds_no_slot() throws Exception {
        queue.close();
        queue = TestQueue.standing(proxy.door(database));
        queue.types().change("email", type -> type.with(Limit.RUNNING, 1));
        WritingVerb.CLAIM.prepare(queue);
        queue.add(JobRequest.builder("email").id("2").data(Map.of()).build());
        proxy.detour(new Proxy.Detour() {
            @Override
            public Optional<String> answers(Proxy.Request request) {
                boolean isOfTheJob = isWriteOfAJob(request) && request.body().contains("job:email:1");
                return isOfTheJob ? Optional.of(FailsOnDocuments.failure()) : Optional.empty();
            }
        });

        assertThat(queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE)))
                .extracting(claim -> claim.id().id())
                .containsExactly("2");
    }

    /** Answers of writes of one document say that the server failed on it. */
    private record FailsOnDocuments(boolean areStored, AtomicInteger failures, int most) implements Proxy.Detour {
        @Override
        public Optional<String> answers(Proxy.Request request) {
            return areStored || !isNext(request) ? Optional.empty() : Optional.of(failure());
        }

        @Override
        public String rewrites(Proxy.Request request, String answer) {
            return areStored && isNext(request) ? failure() : answer;
        }

        private boolean isNext(Proxy.Request request) {
            return isWriteOfAJob(request) && failures.getAndIncrement() < most;
        }

        private static String failure() {
            return "[{\"id\":\"job:email:1\",\"error\":\"os_process_error\",\"reason\":\"{exit_status,1}\"}]";
        }
    }

    @Test
    void a_job_that_was_removed_and_whose_request_is_added_again_is_added_though_the_write_never_arrived() {
        JobRequest request = JobRequest.of("email", Map.of());
        queue.add(request);
        queue.remove(request.id());
        Lost write = proxy.loseRequests(1, LostAnswersTest::isWriteOfAJob);
        queue.add(request);
        assertThat(write.count()).isEqualTo(1);
        assertThat(queue.get(request.id())).isPresent();
    }

    @Test
    void a_job_whose_claim_was_stored_unknown_to_its_claimer_can_be_claimed_again() throws Exception {
        queue.types().change("email", type -> type.with(Limit.RUNNING, 1));
        WritingVerb.CLAIM.prepare(queue);
        Lost claim = proxy.loseAnswers(1, LostAnswersTest::isWriteOfAJob);
        proxy.loseRequests(20, request -> request.isLookup() && request.body().contains("\"job:"));
        assertThatThrownBy(() -> queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .isInstanceOf(CouchException.class);
        assertThat(claim.count()).isEqualTo(1);
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.RUNNING);
        proxy.clear();
        assertThat(queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE)))
                .singleElement()
                .satisfies(again -> assertThat(again.job().attempt()).isEqualTo(1))
                .satisfies(again -> assertThat(again.job().expirations()).isZero());
    }

    @Test
    void a_claim_that_never_arrived_is_sent_again() throws Exception {
        WritingVerb.CLAIM.prepare(queue);
        proxy.loseRequests(1, LostAnswersTest::isWrite);
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .singleElement()
                .extracting(ClaimedJob::fence)
                .isEqualTo(1L);
    }

    @Test
    void a_write_that_never_arrived_can_be_tried_again() throws Exception {
        ClaimedJob claim = WritingVerb.FINISH.prepare(queue).orElseThrow();
        proxy.loseRequests(1, LostAnswersTest::isWrite);
        claim.finish("done");
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    /** All documents of the queue, without what differs from one run to the next. */
    private static List<String> state(JobQueue queue) {
        List<String> documents = new ArrayList<>();
        for (String id : WritingVerb.IDS) {
            queue.get("email", id).ifPresent(job -> {
                ObjectNode document = job.toDocument();
                ObjectNode times = (ObjectNode) document.get("times");
                List.copyOf(times.properties()).forEach(time -> times.put(time.getKey(), "some time"));
                document.remove("_rev");
                if (document.get("lock") instanceof ObjectNode lock) {
                    lock.retain("nothing");
                }
                document.path("errors").forEach(error -> ((ObjectNode) error).remove("at"));
                if (job.status() == JobStatus.STUCK) {
                    document.remove("scheduledTime");
                }
                documents.add(document.toString().replaceAll("client-[-0-9a-f]{36}", "client"));
            });
        }
        documents.add(queue.types().settings("email").timeout().toString());
        return documents;
    }

    private static boolean isWrite(Proxy.Request request) {
        return request.isBulkWrite() || request.isWriteOf("type:") || request.isWriteOf("worker:");
    }

    private static boolean isWriteOfAJob(Proxy.Request request) {
        return request.isBulkWrite() && request.body().contains("\"_id\":\"job:");
    }

    /** The n-th of the requests that match, from 0 on. */
    private static final class Nth implements Predicate<Proxy.Request> {
        private final Predicate<Proxy.Request> which;
        private int left;

        Nth(int n, Predicate<Proxy.Request> which) {
            this.left = n;
            this.which = which;
        }

        @Override
        public boolean test(Proxy.Request request) {
            return which.test(request) && left-- == 0;
        }
    }
}

package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import io.couchjobs.type.TypeSettings;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

@ServerTest
class TypedJobsTest extends OpenQueue {
    record Email(String to, String subject) {}

    record Price(int cents) {}

    private static final JobType<Email> EMAIL = JobType.of("email", Email.class);
    private static final JobType<Map<String, List<Price>>> PRICES = JobType.of("prices", new TypeReference<>() {});

    @Test
    void creator_and_handler_share_the_type_of_the_data() throws Exception {
        try (Worker worker = queue.worker()
                .handler(EMAIL, (email, context) -> "sent to " + email.to())
                .handler(PRICES, (prices, context) -> prices.get("tea").get(0).cents())
                .start()) {
            AddResult email = queue.add(EMAIL, new Email("ada@example.org", "Hello"));
            AddResult prices = queue.addAsync(PRICES, Map.of("tea", List.of(new Price(250))))
                    .join();

            assertThat(finished(email.id()).result().orElseThrow().asText()).isEqualTo("sent to ada@example.org");
            assertThat(finished(prices.id()).result().orElseThrow().asInt()).isEqualTo(250);
            assertThat(finished(email.id()).data(EMAIL).subject()).isEqualTo("Hello");
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    void many_are_added_at_once() throws Exception {
        List<AddResult> added = queue.addAll(EMAIL, List.of(new Email("ada", "1"), new Email("grace", "2")));

        assertThat(added).extracting(AddResult::outcome).containsOnly(AddResult.Outcome.ADDED);
        TestQueue.until(() -> queue.all(JobFilter.all().type(EMAIL)).count() == 2);
    }

    @Test
    void a_program_that_claims_by_hand_uses_the_type_too() throws Exception {
        AddResult added = queue.add(EMAIL, new Email("ada@example.org", "Hello"));

        ClaimedJob claim = queue.accept(AcceptOptions.of(EMAIL, PRICES)).get(0);

        assertThat(claim.data(EMAIL).to()).isEqualTo("ada@example.org");
        claim.finish();
        assertThat(queue.get(added.id())).map(Job::status).contains(JobStatus.SUCCESS);
    }

    @Test
    void data_that_another_program_wrote_and_that_does_not_fit_fails_its_job() throws Exception {
        queue.add(JobRequest.builder("prices").id("1").data(Map.of("tea", 250)).build());
        assertThatThrownBy(() -> queue.get("prices", "1").orElseThrow().data(PRICES))
                .isInstanceOf(InvalidJobDataException.class)
                .hasMessageContaining("does not fit")
                .hasMessageContaining("List");

        try (Worker worker = queue.worker()
                .handler(PRICES, (prices, context) -> prices.size())
                .start()) {
            assertThat(finished(new JobId("prices", "1")).status()).isEqualTo(JobStatus.FAILED);
            assertThat(worker.stats().retried()).isZero();
        }
    }

    @Test
    void priority_and_retries_of_a_type_go_into_its_jobs_unless_the_request_says_otherwise() {
        JobType<Email> urgent = EMAIL.withPriority(80).withMaxRetries(1);
        Email email = new Email("ada", "1");

        AddResult added = queue.add(urgent, email);
        AddResult other =
                queue.add(JobRequest.builder(urgent, email).priority(10).build());

        Job job = queue.get(added.id()).orElseThrow();
        assertThat(job.priority()).isEqualTo(80);
        assertThat(job.maxRetries()).isEqualTo(OptionalInt.of(1));
        assertThat(queue.get(other.id()).orElseThrow().priority()).isEqualTo(10);
    }

    @Test
    void a_worker_stores_timeout_and_retention_of_its_types_and_keeps_what_an_operator_has_set() throws Exception {
        JobType<Email> slow = EMAIL.withTimeout(Duration.ofMinutes(9)).withRetention(Duration.ofDays(2));
        JobType<ObjectNode> known = JobType.of("known", ObjectNode.class)
                .withTimeout(Duration.ofMinutes(9))
                .withRetention(Duration.ofDays(2));
        queue.types().setTimeout("known", Duration.ofMinutes(3));

        try (Worker worker = queue.worker()
                .handler(slow, (email, context) -> null)
                .handler(known, (data, context) -> null)
                .start()) {
            TypeSettings settings = queue.types().settings(slow);
            assertThat(settings.timeout()).contains(Duration.ofMinutes(9));
            assertThat(settings.retention()).isEqualTo(new Retention.For(Duration.ofDays(2)));
            assertThat(queue.types().settings("known").timeout()).contains(Duration.ofMinutes(3));
            assertThat(queue.types().settings("known").retention()).isEqualTo(new Retention.For(Duration.ofDays(2)));
            assertThat(worker.stats().running()).isZero();
        }
        long generation = queue.types().settings(slow).generation();
        queue.types().define(slow.withTimeout(Duration.ofMinutes(1)));
        assertThat(queue.types().settings(slow).generation())
                .as("nothing was written")
                .isEqualTo(generation);
    }

    @Test
    void a_type_that_cannot_be_one_is_refused_with_the_reason() {
        assertThatThrownBy(() -> JobType.of("e:mail", Email.class))
                .hasMessage("type must not contain a colon: \"e:mail\"");
        assertThatThrownBy(() -> EMAIL.withPriority(100)).hasMessage("priority must be 0 to 99: 100");
        assertThatThrownBy(() -> EMAIL.withMaxRetries(-1)).hasMessage("maxRetries must be 0 or more: -1");
        assertThatThrownBy(() -> EMAIL.withTimeout(Duration.ZERO))
                .hasMessage("timeout must be from 1 ms to 1000 days: PT0S");
        assertThatThrownBy(() -> EMAIL.withRetention(Duration.ZERO))
                .hasMessageStartingWith("retention must be from 1 s");
    }

    private Job finished(JobId id) throws InterruptedException {
        return queue.awaitFinished(id, TestQueue.PATIENCE).orElseThrow();
    }
}

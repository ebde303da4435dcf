package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Vectors;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The vectors of retries, which other clients use too, say when the classes run a failed job again. */
class RetryVectorsTest {
    private static final long MOST_LUCK = 65_535;

    @TestFactory
    Stream<DynamicTest> each_failure_is_followed_by_the_delay_of_the_vectors() {
        return Vectors.of(
                "retries",
                "cases",
                vector -> LongNode.valueOf(policy(vector.path("policy"))
                        .delayAfter(
                                vector.path("failure").asInt(),
                                vector.path("luck").asDouble())
                        .toMillis()));
    }

    @TestFactory
    Stream<DynamicTest> the_last_retry_is_that_of_the_vectors() {
        return Vectors.of("retries", "last", vector -> {
            ObjectNode document = Jobs.json(
                            "{'_id':'job:email:42','_rev':'3-a','status':'running','lock':{'token':'t'}}")
                    .put("attempt", vector.path("attempt").asInt())
                    .put("expirations", vector.path("expirations").asInt());
            document.set("maxRetries", vector.path("jobRetries"));
            RetryPolicy policy = RetryPolicy.DEFAULT.withMaxRetries(
                    vector.path("typeRetries").asInt());
            return BooleanNode.valueOf(new Retries(Job.parse(document), policy).areUsedUp());
        });
    }

    /** With as much jitter as luck has steps, a retry is as many milliseconds late as the token has luck. */
    @TestFactory
    Stream<DynamicTest> a_token_has_the_luck_of_the_vectors() {
        RetryPolicy policy = new RetryPolicy(1, Duration.ofMillis(MOST_LUCK), Duration.ofMillis(MOST_LUCK), 1);
        return Vectors.of("retries", "luck", vector -> {
            ObjectNode document =
                    Jobs.json("{'_id':'job:email:42','_rev':'3-a','status':'running','lock':{},'attempt':1}");
            document.withObject("/lock").put("token", vector.path("token").asText());
            document.withObject("/times").put("started", Jobs.NOW.toEpochMilli());
            JobError error = new JobError(1, Jobs.NOW, JobError.Kind.FAILED, "", null);
            Job stuck = Transitions.fail(Job.parse(document), error, policy, false, Jobs.NOW)
                    .write()
                    .orElseThrow();
            return LongNode.valueOf(stuck.scheduledTime().toEpochMilli() - Jobs.NOW.toEpochMilli() - MOST_LUCK);
        });
    }

    private static RetryPolicy policy(JsonNode given) {
        return new RetryPolicy(
                given.path("maxRetries").asInt(),
                Duration.ofMillis(given.path("retryDelay").asLong()),
                Duration.ofMillis(given.path("maxRetryDelay").asLong()),
                given.path("retryJitter").asDouble());
    }
}

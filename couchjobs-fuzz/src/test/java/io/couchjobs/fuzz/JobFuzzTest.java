package io.couchjobs.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.Progress;
import io.couchjobs.type.RetryPolicy;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;

/** Documents that others wrote: each is a job or malformed, and no job breaks the rules that it is put through. */
class JobFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Instant NOW = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final String TOKEN = "00000000-0000-4000-8000-000000000000";

    @FuzzTest
    @DictionaryFile(resourcePath = "/job.dict")
    void a_document_is_a_job_or_malformed(FuzzedDataProvider data) throws IOException {
        JsonNode document = data.consumeBoolean() ? Trees.object(data) : Trees.parsed(data.consumeRemainingAsString());
        if (document instanceof ObjectNode object && !object.has("_id")) {
            object.put("_id", "job:t:1");
        }
        Job job;
        try {
            job = Job.parse(document);
        } catch (MalformedDocumentException malformed) {
            return;
        }
        JsonNode written = MAPPER.readTree(MAPPER.writeValueAsBytes(job.toDocument()));
        Job again = Job.parse(written);
        assertThat(again.saysTheSameAs(job)).isTrue();
        assertThat(job.lock().isPresent()).isEqualTo(job.status().isLocked());
        assertThat(again.lock()).isEqualTo(job.lock());
        readAll(job);
        for (Decision decision : decisions(job)) {
            decision.write().ifPresent(next -> check(job, next));
        }
    }

    /** What was written must be a job again, and what nobody knows must still be in it. */
    private static void check(Job before, Job next) {
        Job parsed = Job.parse(next.toDocument());
        assertThat(parsed.lock().isPresent()).isEqualTo(parsed.status().isLocked());
        JsonNode unknown = before.toDocument().path("unknown");
        assertThat(next.toDocument().path("unknown")).isEqualTo(unknown);
        readAll(parsed);
    }

    private static void readAll(Job job) {
        assertThat(job.errors())
                .hasSizeLessThanOrEqualTo(job.toDocument().path("errors").size());
        assertThat(job.toString()).startsWith(job.id().toString());
        job.scheduledTime();
        job.data();
        job.result();
        job.tags();
        job.times();
        job.progress();
        job.after();
        job.trace();
        job.maxRetries();
        assertThat(job.priority()).isBetween(0, 99);
        assertThat(job.attempt()).isNotNegative();
        assertThat(job.expirations()).isNotNegative();
        assertThat(job.fence()).isNotNegative();
    }

    private static List<Decision> decisions(Job job) {
        JobRequest request = JobRequest.builder(job.type())
                .id(job.id().id())
                .data(MAPPER.createObjectNode().put("x", 1))
                .build();
        JobError error = new JobError(job.attempt(), NOW, JobError.Kind.FAILED, "no", null);
        return List.of(
                Transitions.add(job, request, false, NOW),
                Transitions.add(job, request, true, NOW),
                Transitions.letGo(job, After.Verdict.READY, NOW),
                Transitions.letGo(job, After.Verdict.CANCEL, NOW),
                Transitions.claim(job, TOKEN, "w", true, NOW),
                Transitions.claim(job, TOKEN, "w", false, NOW),
                ClusterTransitions.withdraw(job, "lost", NOW),
                ClusterTransitions.withdrawAfterRun(job, NOW),
                Transitions.start(job, NOW),
                Transitions.update(job, MAPPER.createObjectNode(), new Progress(50, "half"), NOW),
                Transitions.finish(job, MAPPER.nullNode(), null, NOW),
                Transitions.fail(job, error, RetryPolicy.DEFAULT, false, NOW),
                Transitions.fail(job, error, RetryPolicy.DEFAULT, true, NOW),
                Transitions.release(job, NOW),
                Transitions.snooze(job, NOW, NOW),
                Transitions.expire(job, OptionalInt.empty(), NOW),
                Transitions.expire(job, OptionalInt.of(1), NOW),
                Transitions.cancel(job, null, NOW),
                Transitions.requestCancel(job, null, NOW),
                Transitions.acknowledgeCancel(job, "asked", NOW),
                Transitions.resubmit(job, NOW, MAPPER.createObjectNode(), NOW),
                Transitions.resubmitOwn(job, null, NOW),
                Transitions.retry(job, null, NOW),
                Transitions.reschedule(job, NOW, NOW),
                Transitions.prioritize(job, 7, NOW));
    }
}

package io.couchjobs.engine.lifecycle;

import static io.couchjobs.engine.lifecycle.TransitionsTest.TWICE;
import static io.couchjobs.engine.lifecycle.TransitionsTest.requestAt;
import static io.couchjobs.engine.lifecycle.TransitionsTest.write;
import static io.couchjobs.testing.Jobs.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** An owner is asked to stop, or for another run: how its run ends then. */
class RequestsToOwnersTest {
    @Test
    void adding_a_running_job_only_flags_it_and_ignores_the_data() {
        Job flagged = write(Transitions.add(Jobs.inStatus(JobStatus.RUNNING), requestAt(NOW), true, NOW));
        assertThat(flagged.isResubmitted()).isTrue();
        assertThat(flagged.data()).isEqualTo(Jobs.json("{'n':1}"));
        assertThat(flagged.isLockedBy("t1")).isTrue();
    }

    @Test
    void a_resubmitted_job_waits_again_after_its_finish_and_the_flag_is_used_up() {
        Job flagged = write(Transitions.resubmit(Jobs.inStatus(JobStatus.RUNNING), NOW, null, NOW));
        Job again = write(Transitions.finish(flagged, null, null, NOW));
        assertThat(again.status()).isEqualTo(JobStatus.WAITING);
        assertThat(again.scheduledTime()).isEqualTo(NOW);
        assertThat(again.isResubmitted()).isFalse();
        assertThat(again.attempt()).isZero();
    }

    @Test
    void a_failed_run_of_a_resubmitted_job_starts_afresh() {
        Job flagged = write(Transitions.resubmit(Jobs.inStatus(JobStatus.RUNNING), NOW, null, NOW));
        JobError error = new JobError(1, NOW, JobError.Kind.FAILED, "boom", null);
        Job again = write(Transitions.fail(flagged, error, TWICE, true, NOW));
        assertThat(again.status()).isEqualTo(JobStatus.WAITING);
        assertThat(again.attempt()).isZero();
    }

    @Test
    void an_expired_lease_uses_the_resubmit_flag_up() {
        Job flagged = write(Transitions.resubmit(Jobs.inStatus(JobStatus.RUNNING), NOW, null, NOW));
        Job expired = write(Transitions.expire(flagged, OptionalInt.empty(), NOW));
        assertThat(expired.scheduledTime()).isEqualTo(NOW);
        assertThat(expired.isResubmitted()).isFalse();
    }

    @Test
    void a_failure_after_a_cancel_request_ends_cancelled() {
        Job asked = write(Transitions.requestCancel(Jobs.inStatus(JobStatus.RUNNING), null, NOW));
        JobError error = new JobError(1, NOW, JobError.Kind.FAILED, "interrupted", null);
        assertThat(write(Transitions.fail(asked, error, TWICE, false, NOW)).status())
                .isEqualTo(JobStatus.CANCELLED);
        assertThat(write(Transitions.expire(asked, OptionalInt.empty(), NOW)).status())
                .isEqualTo(JobStatus.CANCELLED);
        assertThat(write(Transitions.release(asked, NOW)).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(Transitions.requestCancel(asked, null, NOW).write())
                .as("asking twice")
                .isEmpty();
    }

    @Test
    void the_reason_of_a_cancel_request_is_in_the_error_when_the_owner_has_stopped() {
        Job asked = write(Transitions.requestCancel(Jobs.inStatus(JobStatus.RUNNING), "wrong prices", NOW));
        assertThat(asked.cancelReason()).contains("wrong prices");
        Job stopped = write(Transitions.acknowledgeCancel(asked, "cancelled while it ran", NOW));
        assertThat(stopped.errors())
                .extracting(JobError::kind, JobError::message)
                .containsExactly(tuple(JobError.Kind.CANCELLED, "cancelled while it ran: wrong prices"));
        assertThat(stopped.toDocument().has("cancelReason")).isFalse();
        assertThat(write(Transitions.finish(asked, null, null, NOW))
                        .toDocument()
                        .has("cancelReason"))
                .as("it had finished before it heard of it")
                .isFalse();
    }

    @Test
    void a_cancel_request_drops_an_older_resubmit() {
        Job flagged = write(Transitions.add(Jobs.inStatus(JobStatus.RUNNING), requestAt(NOW), false, NOW));
        Job asked = write(Transitions.requestCancel(flagged, null, NOW));
        assertThat(asked.isResubmitted()).isFalse();
        assertThat(write(Transitions.acknowledgeCancel(asked, "asked to", NOW)).status())
                .isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void a_job_added_again_after_a_cancel_request_waits_again_however_its_run_ends() {
        Job asked = write(Transitions.requestCancel(Jobs.inStatus(JobStatus.RUNNING), null, NOW));
        Job added = write(Transitions.add(asked, requestAt(NOW), false, NOW));
        JobError error = new JobError(1, NOW, JobError.Kind.FAILED, "interrupted", null);
        List<Decision> endings = List.of(
                Transitions.acknowledgeCancel(added, "asked to", NOW),
                Transitions.finish(added, null, null, NOW),
                Transitions.fail(added, error, TWICE, true, NOW),
                Transitions.release(added, NOW),
                Transitions.expire(added, OptionalInt.of(0), NOW));
        for (Decision ending : endings) {
            Job again = write(ending);
            assertThat(again.status()).isEqualTo(JobStatus.WAITING);
            assertThat(again.scheduledTime()).isEqualTo(NOW);
            assertThat(again.isResubmitted()).isFalse();
            assertThat(again.isCancelRequested()).isFalse();
        }
    }

    @Test
    void an_owner_that_is_to_stop_cannot_resubmit_its_job() {
        Job asked = write(Transitions.requestCancel(Jobs.inStatus(JobStatus.RUNNING), null, NOW));
        assertThat(Transitions.resubmitOwn(asked, NOW, NOW).write()).isEmpty();
    }

    @Test
    void a_released_job_has_the_time_that_an_add_gave_it_meanwhile() {
        Job flagged = write(Transitions.add(Jobs.inStatus(JobStatus.SCHEDULED), requestAt(NOW), false, NOW));
        Job released = write(Transitions.release(flagged, NOW));
        assertThat(released.scheduledTime()).isEqualTo(NOW);
        assertThat(released.isResubmitted()).isFalse();
    }
}

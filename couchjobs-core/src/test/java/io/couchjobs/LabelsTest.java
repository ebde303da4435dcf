package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ServerTest
class LabelsTest extends OpenQueue {
    @ParameterizedTest
    @EnumSource
    void jobs_are_found_and_counted_by_each_label(JobFilter.Label label) throws Exception {
        queue.add(labelled("email", "a", label, "red").build());
        queue.add(labelled("report", "b", label, "red").build());
        queue.add(labelled("email", "c", label, "blue").build());
        queue.add(JobRequest.of("email", Map.of()));
        queue.cancel("report", "b", CancelMode.REQUEST);
        JobFilter red = JobFilter.all().label(label, "red");

        TestQueue.until(() -> queue.types()
                .countsBy(label, 10)
                .equals(Map.of(
                        "blue", Map.of(JobStatus.WAITING, 1L),
                        "red", Map.of(JobStatus.WAITING, 1L, JobStatus.CANCELLED, 1L))));
        assertThat(ids(red)).containsExactlyInAnyOrder("a", "b");
        assertThat(ids(red.type("email"))).containsExactly("a");
        assertThat(ids(red.status(JobStatus.CANCELLED))).containsExactly("b");
        assertThat(queue.all(red)).hasSize(2);
        assertThat(queue.types().countsBy(label, 1)).containsOnlyKeys("blue");
    }

    @Test
    void several_labels_narrow_each_other_and_an_empty_one_means_none() throws Exception {
        queue.add(job("email", "both").group("shop").jobClass("urgent").build());
        queue.add(job("email", "one").group("shop").build());
        JobFilter shop = JobFilter.all().group("shop");
        TestQueue.until(() -> ids(shop).size() == 2);
        assertThat(ids(shop.jobClass("urgent"))).containsExactly("both");
        assertThat(ids(shop.jobClass(""))).containsExactly("one");
        assertThat(ids(shop.origin(""))).hasSize(2);
        assertThat(ids(shop.origin("elsewhere"))).isEmpty();
    }

    @Test
    void a_claimed_job_is_counted_under_its_new_status() throws Exception {
        queue.add(job("email", "a").group("shop").build());
        TestQueue.until(() ->
                !queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)).isEmpty());
        TestQueue.until(() -> queue.types()
                .countsBy(JobFilter.Label.GROUP, 10)
                .equals(Map.of("shop", Map.of(JobStatus.RUNNING, 1L))));
    }

    @Test
    void an_argument_that_cannot_be_asked_for_is_named_in_the_error() {
        assertThatThrownBy(() -> JobFilter.all().correlationId("")).hasMessageContaining("correlationId");
        assertThatThrownBy(() -> queue.types().countsBy(JobFilter.Label.TAG, 0))
                .hasMessageContaining("limit must be at least 1: 0");
    }

    private List<String> ids(JobFilter filter) {
        return queue.list(filter, 10).stream().map(Job::id).map(id -> id.id()).toList();
    }

    private static JobRequest.Builder labelled(String type, String id, JobFilter.Label label, String value) {
        JobRequest.Builder request = job(type, id);
        return switch (label) {
            case GROUP -> request.group(value);
            case CLASS -> request.jobClass(value);
            case ORIGIN -> request.origin(value);
            case TAG -> request.tag(value);
            case CORRELATION -> request.correlationId(value);
        };
    }

    private static JobRequest.Builder job(String type, String id) {
        return JobRequest.builder(type).id(id).data(Map.of());
    }
}

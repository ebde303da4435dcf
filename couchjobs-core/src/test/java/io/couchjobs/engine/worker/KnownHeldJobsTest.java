package io.couchjobs.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.Jobs;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which held jobs a worker goes on to know of after it has read that one is not held. */
class KnownHeldJobsTest {
    private final HeldJobs jobs = new HeldJobs();
    private final Job held = Jobs.job("'status':'waiting','after':{'jobs':['job:email:first']}");
    private final List<JobId> ids = List.of(held.id());

    @BeforeEach
    void hold() {
        jobs.add(held);
        assertThat(jobs.next()).isEqualTo(ids);
    }

    @Test
    void it_is_forgotten() {
        assertThat(jobs.judged(ids, List.of(), false)).isEmpty();
        assertThat(jobs.isEmpty()).isTrue();
    }

    @Test
    void on_a_cluster_it_is_judged_once_more_before() {
        assertThat(jobs.judged(ids, List.of(), true)).isEqualTo(ids);
        assertThat(jobs.isEmpty()).isFalse();
        assertThat(jobs.judged(ids, List.of(), true)).isEmpty();
        assertThat(jobs.isEmpty()).isTrue();
    }

    @Test
    void it_stays_when_the_feed_has_told_meanwhile_that_it_is_held() {
        jobs.add(held);
        assertThat(jobs.judged(ids, List.of(), false)).isEmpty();
        assertThat(jobs.next()).isEqualTo(ids);
    }
}

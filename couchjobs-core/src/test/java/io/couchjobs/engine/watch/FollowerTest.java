package io.couchjobs.engine.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.Jobs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a follower takes for sure, without a feed, a server or a clock. */
class FollowerTest {
    private static final JobId ID = new JobId("email", "1");

    private final List<String> told = new ArrayList<>();
    private final Follower follower = new Follower(ID, this) {
        @Override
        void opened(Snapshot first) {
            told(first);
        }

        @Override
        void told(Snapshot news) {
            told.add(news.rev());
        }

        @Override
        void stop() {}
    };

    @Test
    void an_end_that_a_majority_tells_twice_counts_more_than_a_later_state() {
        follower.open(job("waiting", 6, 5));
        assertThat(isSureOf(job("success", 4, 4))).isFalse();
        assertThat(told).containsExactly("6-x");

        assertThat(isSureOf(job("success", 4, 4))).isTrue();
        assertThat(told).containsExactly("6-x", "4-x");
    }

    @Test
    void an_end_is_doubted_again_when_something_later_was_told_meanwhile() {
        follower.open(job("waiting", 6, 5));
        assertThat(isSureOf(job("success", 4, 4))).isFalse();
        follower.hears(job("waiting", 9, 8));

        assertThat(isSureOf(job("success", 4, 4))).isFalse();
        assertThat(told).containsExactly("6-x", "9-x");
    }

    @Test
    void how_a_removed_job_ended_is_told_with_its_removal_or_not_at_all() {
        Snapshot removal = Snapshot.gone(ID, "5-x");
        Optional<Snapshot> end = Optional.of(job("success", 4, 4));
        follower.open(job("waiting", 6, 5));
        assertThat(follower.isSureOf(removal, end)).isFalse();
        assertThat(told).containsExactly("6-x");

        assertThat(follower.isSureOf(removal, end)).isTrue();
        assertThat(told).containsExactly("6-x", "4-x", "5-x");
    }

    @Test
    void a_removal_that_left_no_tombstone_counts_at_once() {
        follower.open(job("waiting", 1, 0));

        assertThat(isSureOf(Snapshot.gone(ID, ""))).isTrue();
        assertThat(told).containsExactly("1-x", "");
    }

    private boolean isSureOf(Snapshot end) {
        return follower.isSureOf(end, Optional.empty());
    }

    private static Snapshot job(String status, int generation, int fence) {
        return Snapshot.of(Jobs.json("{'_id':'job:email:1','_rev':'" + generation + "-x','status':'" + status
                        + "','fence':" + fence + "}"))
                .orElseThrow();
    }
}

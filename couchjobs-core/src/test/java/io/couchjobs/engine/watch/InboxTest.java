package io.couchjobs.engine.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.testing.Jobs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a subscriber is told, without a feed, a server or a clock. */
class InboxTest {
    private static final long MS = 1_000_000;
    private static final String LOCK = ",'lock':{'token':'t','worker':'w','since':1}";

    @Test
    void a_burst_is_one_event_50_ms_after_it_began() {
        Inbox inbox = new Inbox(job("waiting", 1, 0));
        inbox.offer(job("running", 2, 1), 0);
        inbox.offer(job("running", 3, 2), 30 * MS);
        inbox.offer(job("running", 4, 3), 49 * MS);

        assertThat(inbox.poll(49 * MS)).isEmpty();
        assertThat(inbox.ripeIn(49 * MS)).isEqualTo(MS);
        assertThat(inbox.poll(50 * MS).orElseThrow().rev()).isEqualTo("4-x");
        assertThat(inbox.isEmpty()).isTrue();
    }

    @Test
    void events_further_apart_are_told_in_their_order() {
        Inbox inbox = new Inbox(job("waiting", 1, 0));
        inbox.offer(job("running", 2, 1), 0);
        inbox.offer(job("waiting", 3, 1), 50 * MS);
        inbox.offer(job("running", 4, 2), 100 * MS);

        assertThat(drain(inbox, 150 * MS)).containsExactly("2-x", "3-x", "4-x");
    }

    @Test
    void a_burst_that_ends_where_it_began_is_no_event() {
        Inbox inbox = new Inbox(job("waiting", 1, 0));
        inbox.offer(job("running", 2, 1), 0);
        inbox.offer(job("stuck", 3, 1), 49 * MS);

        assertThat(drain(inbox, 200 * MS)).isEmpty();
        assertThat(inbox.told().phase()).isEqualTo(JobPhase.PENDING);
    }

    @Test
    void the_end_of_a_job_waits_for_nothing_and_takes_the_place_of_what_did() {
        Inbox inbox = new Inbox(job("waiting", 1, 0));
        inbox.offer(job("running", 2, 1), 0);
        inbox.offer(job("success", 3, 1), MS);

        assertThat(drain(inbox, MS)).containsExactly("3-x");
    }

    @Test
    void the_oldest_events_make_room_and_the_newest_remains() {
        Inbox inbox = new Inbox(job("waiting", 1, 0));
        for (int n = 2; n < 100; n++) {
            inbox.offer(job(n % 2 == 0 ? "running" : "waiting", n, n), n * 100L * MS);
        }
        inbox.offer(Snapshot.gone(new JobId("email", "1"), "100-x"), 10_000 * MS);

        List<String> told = drain(inbox, 20_000 * MS);
        assertThat(told).hasSize(Inbox.MOST).startsWith("85-x").endsWith("99-x", "100-x");
    }

    @Test
    void while_a_job_runs_only_another_run_new_data_and_new_progress_are_events() {
        Snapshot running = job("running", 2, 1);
        assertThat(job("scheduled", 3, 1).isNewsAfter(running)).isFalse();
        assertThat(job("running", 3, 1, ",'cancelRequested':true").isNewsAfter(running))
                .isFalse();
        assertThat(job("running", 3, 1, ",'resubmit':{}").isNewsAfter(running)).isFalse();
        assertThat(job("running", 3, 2).isNewsAfter(running)).isTrue();
        assertThat(job("running", 3, 1, ",'data':{'n':1}").isNewsAfter(running)).isTrue();
        assertThat(job("running", 3, 1, ",'progress':{'percent':1}").isNewsAfter(running))
                .isTrue();
        assertThat(job("stuck", 3, 1).isNewsAfter(job("waiting", 2, 1, ",'data':{'n':1}")))
                .isFalse();
    }

    private static List<String> drain(Inbox inbox, long now) {
        List<String> told = new ArrayList<>();
        for (Optional<Snapshot> next = inbox.poll(now); next.isPresent(); next = inbox.poll(now)) {
            told.add(next.get().rev());
        }
        return told;
    }

    private static Snapshot job(String status, int generation, int fence) {
        return job(status, generation, fence, "");
    }

    private static Snapshot job(String status, int generation, int fence, String more) {
        boolean locked = status.equals("running") || status.equals("scheduled");
        return Snapshot.of(Jobs.json("{'_id':'job:email:1','_rev':'" + generation + "-x','status':'" + status
                        + "','fence':" + fence + (locked ? LOCK : "") + more + "}"))
                .orElseThrow();
    }
}

package io.couchjobs.engine.watch;

import static io.couchjobs.engine.store.MajorityReadings.confirmed;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.Jobs;
import java.util.List;
import org.junit.jupiter.api.Test;

class MailboxTest {
    @Test
    void the_newest_change_of_each_job_is_kept_in_the_order_of_the_first_changes() {
        Mailbox box = new Mailbox(10, 1_000);
        box.put(gone("a", 1));
        box.put(gone("b", 1));
        box.put(gone("a", 3));
        box.put(gone("a", 2));

        assertThat(box.take().orElseThrow().rev()).isEqualTo("3-x");
        assertThat(box.take().orElseThrow().id().id()).isEqualTo("b");
        assertThat(box.take()).isEmpty();
    }

    @Test
    void a_state_that_a_majority_had_does_not_replace_a_later_one() {
        assertThat(keptOf(job("success", 6), confirmed(job("waiting", 5)))).isEqualTo(6);
        assertThat(keptOf(job("success", 6), confirmed(job("success", 4)))).isEqualTo(6);
        assertThat(keptOf(job("running", 6), confirmed(job("waiting", 5)))).isEqualTo(6);
    }

    @Test
    void an_end_that_a_majority_has_replaces_a_later_state_that_is_no_end() {
        assertThat(keptOf(job("running", 6), confirmed(job("success", 4)))).isEqualTo(4);
        assertThat(keptOf(job("waiting", 6), confirmed(job("success", 4)))).isEqualTo(4);
    }

    @Test
    void beyond_its_bound_the_oldest_are_dropped() {
        Mailbox box = new Mailbox(3, 1_000);
        for (int n = 0; n < 10; n++) {
            box.put(gone("" + n, 1));
        }

        assertThat(box.take().orElseThrow().id().id()).isEqualTo("7");
    }

    @Test
    void beyond_its_bytes_the_oldest_are_dropped_but_never_the_last() {
        Mailbox box = new Mailbox(100, 1_000);
        for (int n = 0; n < 10; n++) {
            box.put(large("" + n, 400));
        }
        assertThat(box.take().orElseThrow().id().id()).isEqualTo("8");
        box.put(large("huge", 5_000));

        assertThat(box.take().orElseThrow().id().id()).isEqualTo("huge");
    }

    @Test
    void a_dropped_change_is_a_gap_when_the_rest_is_taken() {
        Mailbox box = new Mailbox(1, 1_000);
        box.put(gone("a", 1));
        box.put(gone("b", 1));

        assertThat(box.takeGap()).isFalse();
        assertThat(box.take()).isPresent();
        assertThat(box.take()).isEmpty();
        assertThat(box.takeGap()).isTrue();
        assertThat(box.take()).isEmpty();
        assertThat(box.takeGap()).isFalse();
    }

    @Test
    void a_closed_box_takes_and_gives_nothing() {
        Mailbox box = new Mailbox(3, 1_000);
        box.put(gone("a", 1));
        box.close();
        box.put(gone("b", 1));

        assertThat(box.take()).isEmpty();
    }

    private static long keptOf(Snapshot... letters) {
        Mailbox box = new Mailbox(10, 1_000);
        List.of(letters).forEach(box::put);
        return box.take().flatMap(Snapshot::job).orElseThrow().fence();
    }

    private static Snapshot job(String status, int fence) {
        String lock = status.equals("running") ? ",'lock':{'token':'t','worker':'w','since':1}" : "";
        return Snapshot.of(Jobs.json("{'_id':'job:email:a','_rev':'" + fence + "-x','status':'" + status + "','fence':"
                        + fence + lock + "}"))
                .orElseThrow();
    }

    private static Snapshot gone(String id, int generation) {
        return Snapshot.gone(new JobId("email", id), generation + "-x");
    }

    private static Snapshot large(String id, int size) {
        return Snapshot.of(Jobs.json(
                        "{'_id':'job:email:" + id + "','_rev':'1-x','data':{'x':'" + "x".repeat(size - 60) + "'}}"))
                .orElseThrow();
    }
}

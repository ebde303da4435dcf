package io.couchjobs.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The items of a chunk that has several leaves. */
class ItemsOfLeavesTest extends ResolvedLeaves {
    /** The owner or a resolver wrote on the same revision at the same moment, and only a minority of the copies took that. */
    private static String items(String states, String more) {
        return ",'times':{'created':1500000000000},'array':{'id':'a','first':0,'digest':'d','states':'" + states + "'"
                + more + "}";
    }

    private static String retried(String states, String more) {
        return items(states, more).replace("'created'", "'retried':1500000000007,'created'");
    }

    @Test
    void an_item_that_has_succeeded_on_any_leaf_has_succeeded() {
        String late = items("s..r", ",'results':{'0':'yes'},'errors':{'3':{'attempt':1,'message':'no'}}");
        String best = items(".sr.", ",'errors':{'2':{'attempt':1,'message':'no'}}");
        for (Settled settled : List.of(
                settle(leaf("2-a", withdrawn("t1", 1, "expired") + late), leaf("4-b", waiting(2) + best)),
                settle(leaf("2-a", owned("t1", 1) + late), leaf("3-b", owned("t1", 1) + best)))) {
            ItemStates items = ItemStates.of(settled.winner()).orElseThrow();
            assertThat(List.of(items.status(0), items.status(1), items.status(2), items.status(3)))
                    .containsExactly(JobStatus.SUCCESS, JobStatus.SUCCESS, JobStatus.STUCK, JobStatus.WAITING);
            assertThat(items.result(0).orElseThrow().asText()).isEqualTo("yes");
        }
    }

    @Test
    void an_item_that_has_failed_for_good_on_any_leaf_has_failed_unless_it_has_succeeded() {
        String late = items("ff.f", ",'asked':1500000000000,'errors':{'0':{'attempt':2,'message':'no'}}");
        String best = items(".sr.", ",'errors':{'2':{'attempt':1,'message':'no'}}");
        ItemStates items = ItemStates.of(
                        settle(leaf("2-a", withdrawn("t1", 1, "expired") + late), leaf("4-b", waiting(2) + best))
                                .winner())
                .orElseThrow();
        assertThat(List.of(items.status(0), items.status(1), items.status(2), items.status(3)))
                .containsExactly(JobStatus.FAILED, JobStatus.SUCCESS, JobStatus.STUCK, JobStatus.FAILED);
        assertThat(items.error(0)).hasValue("no");
        assertThat(items.failures(0)).isEqualTo(2);
    }

    @Test
    void an_item_that_failed_before_its_chunk_was_retried_is_run_again() {
        String failed = items("f.", ",'asked':1500000000000");
        String retried = retried("r.", ",'asked':1500000000000");
        ItemStates items = ItemStates.of(
                        settle(leaf("2-a", withdrawn("t1", 1, "expired") + failed), leaf("4-b", waiting(2) + retried))
                                .winner())
                .orElseThrow();
        assertThat(items.status(0)).isEqualTo(JobStatus.STUCK);
    }

    /** The run began on the leaf that loses, and the next one would begin it again on the winner. */
    @Test
    void items_that_failed_again_in_a_run_that_only_one_leaf_knows_are_not_run_once_more() {
        for (String again : List.of("ff", "fr", "fs")) {
            String late = retried(again, ",'asked':1500000000007,'errors':{'0':{'attempt':2,'message':'again'}}");
            String best = retried("ff", ",'asked':1500000000000,'errors':{'0':{'attempt':1,'message':'no'}}");
            Job winner = settle(leaf("3-a", withdrawn("t1", 1, "expired") + late), leaf("3-b", waiting(1) + best))
                    .winner();
            ItemStates items = ItemStates.of(winner).orElseThrow();
            items.begin(winner);
            assertThat(List.of(items.status(0), items.status(1)))
                    .as(again)
                    .containsExactly(JobStatus.FAILED, statusOf(again.charAt(1)));
        }
    }

    private static JobStatus statusOf(char state) {
        return switch (state) {
            case 's' -> JobStatus.SUCCESS;
            case 'f' -> JobStatus.FAILED;
            default -> JobStatus.STUCK;
        };
    }

    @Test
    void a_chunk_that_was_added_anew_takes_nothing_from_the_one_before() {
        ObjectNode before =
                leaf("2-a", withdrawn("t1", 1, "expired") + items("ss", "").replace("1500000000000", "1400000000000"));
        Settled settled = settle(before, leaf("4-b", waiting(2) + items("..", "")));
        assertThat(ItemStates.of(settled.winner()).orElseThrow().succeeded()).isZero();
    }
}

package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.Gate;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.testing.Jobs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Node 2 stored the end of a job before the job's first revision, and takes both for leaves. The other nodes know better. */
class HalfKnownHistoriesTest extends PlayedCluster {
    @Test
    void a_sweep_of_the_index_connects_the_leaves() {
        JobId id = endedWithoutItsHistory();

        world.play(two, () -> two.conflicts().join(new Owner("w", token -> false)));
        world.time().pass(Duration.ofSeconds(10));

        assertThat(leaves(id)).isEqualTo(1);
    }

    @Test
    void a_worker_that_begins_soon_after_another_one_ended_sweeps_the_index_at_once() {
        Listening former = world.play(two, () -> two.conflicts().join(new Owner("former", token -> false)));
        world.time().pass(Duration.ofSeconds(10));
        world.play(two, () -> {
            former.close();
            return true;
        });
        JobId id = endedWithoutItsHistory();

        world.play(two, () -> two.conflicts().join(new Owner("w", token -> false)));
        world.time().pass(Duration.ofSeconds(10));

        assertThat(leaves(id)).isEqualTo(1);
    }

    @Test
    void a_user_who_resolves_the_conflict_connects_the_leaves() {
        JobId id = endedWithoutItsHistory();

        assertThat(world.play(zero, () -> zero.conflicts().resolve(id.docId()))).isTrue();

        assertThat(leaves(id)).isEqualTo(1);
    }

    /** There the first revision is what readers see: the job seems to wait. */
    @Test
    void a_worker_that_hears_of_a_job_which_is_gone_connects_the_leaves() {
        world.play(two, () -> two.conflicts().join(new Owner("w", token -> false)));
        world.play(two, () -> two.parts().feed().listen(event -> {}));
        JobId id = ended();
        delete(zero, id);
        world.time().pass(Duration.ofSeconds(10));
        forgetHistory(id, 1);
        assertThat(copy().live(id.docId())).as("what readers see").isPresent();

        two.door().redirect(0); // whose readings repair nothing, as its own copy answers first
        insert(two, "another");
        world.time().pass(Duration.ofSeconds(10));

        assertThat(leaves(id)).isEqualTo(1);
        assertThat(copy().live(id.docId())).isEmpty();
    }

    private JobId endedWithoutItsHistory() {
        JobId id = ended();
        forgetHistory(id, 0);
        return id;
    }

    private JobId ended() {
        JobId id = insert("a");
        Job owned = write(zero, claim(zero, read(zero, id), "owner"));
        write(zero, Transitions.finish(owned, TextNode.valueOf("done"), null, now(zero)));
        world.time().pass(Duration.ofSeconds(10));
        return id;
    }

    /** @param later how many revisions come after the end */
    private void forgetHistory(JobId id, int later) {
        RevTree tree = copy().tree(id.docId());
        List<Revision> path = tree.path(tree.winner().rev());
        ObjectNode job =
                copy().revision(id.docId(), path.get(later)).orElseThrow().body();
        assertThat(copy().purge(id.docId(), path.subList(0, 1))).hasSize(1);
        store(new Edit(id.docId(), path.subList(0, 2), later > 0, later > 0 ? Jobs.json("{}") : job));
        store(new Edit(id.docId(), path.subList(path.size() - 1, path.size()), false, job));
        assertThat(leaves(id)).isEqualTo(2);
    }

    private void store(Edit edit) {
        assertThat(copy().replicate(List.of(edit), Gate.OPEN)).allMatch(result -> result.error() == null);
    }

    private Database copy() {
        return world.cluster().store(2).get(Client.DATABASE);
    }

    private int leaves(JobId id) {
        return copy().tree(id.docId()).leaves().size();
    }
}

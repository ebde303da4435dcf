package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.trigger.PlayedFollower;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.Jobs;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A trigger whose jobs have conflicts, on a simulated cluster of three nodes. */
class FollowedConflictsTest {
    private static final JobId FIRST = new JobId(World.TYPE, "saved-1");
    private static final JobId SECOND = new JobId(World.TYPE, "saved-2");

    private final World world = new World(Plan.PLAYED, 1);
    private final Client zero = world.client("zero", 0);
    private final Client two = world.client("two", 2);

    @AfterEach
    void close() {
        world.close();
    }

    private static TriggerBuilder trigger() {
        return Trigger.named("t")
                .source(Client.DATABASE)
                .prefixes("saved-")
                .from("beginning")
                .type(World.TYPE)
                .data(Jobs.json("{'n':'{/n}'}"));
    }

    private PlayedFollower follower(TriggerBuilder trigger) {
        return new PlayedFollower(
                zero.parts(),
                new Creator(zero.parts().store(), zero.parts().clock()),
                new AddRules(zero.parts(), false),
                trigger.build(),
                false);
    }

    @Test
    void a_change_whose_job_has_conflicts_holds_up_no_other_and_is_run_when_they_are_resolved() {
        PlayedFollower follower = follower(trigger().id("{_id}"));
        String rev = save("{'_id':'saved-1','n':1}");
        follow(follower);
        tear(read(FIRST).orElseThrow());
        String unused = save("{'_id':'saved-1','n':2,'_rev':'" + rev + "'}");
        String unusedToo = save("{'_id':'saved-2','n':1}");
        follow(follower);
        assertThat(read(SECOND)).isPresent();
        assertThat(read(FIRST).orElseThrow().data().path("n").asInt()).isEqualTo(1);
        pass();
        follow(follower);
        assertThat(read(FIRST).orElseThrow().data().path("n").asInt()).isEqualTo(2);
    }

    /** As after the death of a follower that had made the job, and had not said so yet. */
    @Test
    void a_batch_whose_job_has_conflicts_stays_owed_until_they_are_resolved() {
        TriggerBuilder batch = trigger().batch(3, Duration.ZERO);
        ObjectNode change = change("saved-1", save("{'_id':'saved-1','n':1}"));
        follow(follower(batch));
        Job job = theOnlyJob();
        tear(job);
        ObjectNode before = position();
        before.putArray("owed").add(change);
        WriteResult unused = world.play(zero, () -> zero.database().put(before));
        PlayedFollower next = follower(batch);
        follow(next);
        assertThat(position().path("owed")).hasSize(1);
        pass();
        follow(next);
        assertThat(position().has("owed")).isFalse();
        assertThat(theOnlyJob().id()).isEqualTo(job.id());
    }

    private static ObjectNode change(String id, String rev) {
        return Jobs.json("{'id':'" + id + "','rev':'" + rev + "','seq':'1','deleted':false}");
    }

    private Job theOnlyJob() {
        String prefix = "job:" + World.TYPE + ":";
        ViewQuery jobs =
                ViewQuery.allDocs().startKey(prefix).endKey(prefix + "\uffff").includeDocs(true);
        List<ViewResult.Row> rows =
                world.play(zero, () -> zero.database().view(jobs).rows());
        assertThat(rows).hasSize(1);
        return Job.parse(rows.get(0).doc());
    }

    private ObjectNode position() {
        return world.play(zero, () -> zero.database().get("follow:t:" + Client.DATABASE))
                .orElseThrow();
    }

    private void follow(PlayedFollower follower) {
        var unused = world.play(zero, () -> {
            follower.slice();
            return true;
        });
    }

    private String save(String document) {
        WriteResult written = world.play(zero, () -> zero.database().put(Jobs.json(document)));
        return ((WriteResult.Stored) written).rev();
    }

    private Optional<Job> read(JobId id) {
        return world.play(zero, () -> zero.parts().store().read(id));
    }

    /** Gives a job two leaves. */
    private void tear(Job job) {
        world.cluster().isolate(2);
        delay(zero, job, 1);
        delay(two, job, 2);
        world.cluster().heal(2);
        pass();
    }

    private void delay(Client client, Job job, int minutes) {
        Instant now = client.parts().clock().instant();
        Job later = Transitions.reschedule(job, now.plus(Duration.ofMinutes(minutes)), now)
                .write()
                .orElseThrow();
        var unused = world.play(client, () -> client.parts().store().writer().write(later));
    }

    private void pass() {
        world.time().pass(Duration.ofSeconds(10));
    }
}

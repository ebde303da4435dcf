package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.trigger.PlayedFollower;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.Jobs;
import io.couchjobs.trigger.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A trigger whose jobs have conflicts, on a simulated cluster of three nodes. */
class FollowedConflictsTest {
    private static final JobId FIRST = new JobId(World.TYPE, "saved-1");
    private static final JobId SECOND = new JobId(World.TYPE, "saved-2");

    private final World world = new World(Plan.PLAYED, 1);
    private final Client zero = world.client("zero", 0);
    private final Client two = world.client("two", 2);
    private final PlayedFollower follower = new PlayedFollower(
            zero.parts(),
            new Creator(zero.parts().store(), zero.parts().clock()),
            new AddRules(zero.parts(), false),
            Trigger.named("t")
                    .source(Client.DATABASE)
                    .prefixes("saved-")
                    .from("beginning")
                    .type(World.TYPE)
                    .id("{_id}")
                    .data(Jobs.json("{'n':'{/n}'}"))
                    .build(),
            false);

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void a_change_whose_job_has_conflicts_holds_up_no_other_and_is_run_when_they_are_resolved() {
        String rev = save("{'_id':'saved-1','n':1}");
        follow();
        Job job = read(FIRST).orElseThrow();
        world.cluster().isolate(2);
        delay(zero, job, 1);
        delay(two, job, 2);
        world.cluster().heal(2);
        pass();
        String unused = save("{'_id':'saved-1','n':2,'_rev':'" + rev + "'}");
        String unusedToo = save("{'_id':'saved-2','n':1}");
        follow();
        assertThat(read(SECOND)).isPresent();
        assertThat(read(FIRST).orElseThrow().data().path("n").asInt()).isEqualTo(1);
        pass();
        follow();
        assertThat(read(FIRST).orElseThrow().data().path("n").asInt()).isEqualTo(2);
    }

    private void follow() {
        var unused = play(zero, () -> {
            follower.slice();
            return true;
        });
    }

    private String save(String document) {
        WriteResult written = play(zero, () -> zero.database().put(Jobs.json(document)));
        return ((WriteResult.Stored) written).rev();
    }

    private Optional<Job> read(JobId id) {
        return play(zero, () -> zero.parts().store().read(id));
    }

    private void delay(Client client, Job job, int minutes) {
        Instant now = client.parts().clock().instant();
        Job later = Transitions.reschedule(job, now.plus(Duration.ofMinutes(minutes)), now)
                .write()
                .orElseThrow();
        var unused = play(client, () -> client.parts().store().write(later));
    }

    private void pass() {
        world.time().pass(Duration.ofSeconds(10));
    }

    /** Lets a process do something, and everything else happen meanwhile. */
    private <T> T play(Client client, Supplier<T> script) {
        AtomicReference<Optional<T>> outcome = new AtomicReference<>(Optional.empty());
        client.process().play("script", () -> outcome.set(Optional.of(script.get())));
        world.time().until(() -> outcome.get().isPresent());
        return outcome.get().orElseThrow();
    }
}

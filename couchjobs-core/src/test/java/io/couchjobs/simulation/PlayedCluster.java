package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** A simulated cluster of three nodes, with a process at each. */
abstract class PlayedCluster {
    final List<World> worlds = new ArrayList<>();

    World world = open(Plan.PLAYED);

    Client zero = world.client("zero", 0);

    Client one = world.client("one", 1);

    Client two = world.client("two", 2);

    World open(Plan plan) {
        World opened = new World(plan, 1);
        worlds.add(opened);
        return opened;
    }

    void playOn(Plan plan) {
        world = open(plan);
        zero = world.client("zero", 0);
        one = world.client("one", 1);
        two = world.client("two", 2);
    }

    @AfterEach
    void close() {
        worlds.forEach(World::close);
    }

    AddResult add(Client client, String id) {
        Creator creator = new Creator(client.parts().store(), client.parts().clock());
        AtomicReference<RuntimeException> trouble = new AtomicReference<>();
        Optional<AddResult> added = world.play(client, () -> {
            try {
                return Optional.of(creator.addOne(request(id, Instant.EPOCH)));
            } catch (CouchJobsException refused) {
                trouble.set(refused);
                return Optional.empty();
            }
        });
        return added.orElseThrow(trouble::get);
    }

    static String outcome(Supplier<Job> write) {
        try {
            return write.get().status().json();
        } catch (HaltException halt) {
            return "halt";
        }
    }

    static Instant now(Client client) {
        return client.parts().clock().instant();
    }

    static JobRequest request(String id, Instant due) {
        return JobRequest.builder(World.TYPE)
                .id(id)
                .data(Map.of())
                .scheduledTime(due)
                .build();
    }

    JobId insert(String id) {
        return insert(zero, id);
    }

    JobId insert(Client client, String id) {
        JobRequest request = request(id, Instant.EPOCH);
        world.play(
                client, () -> new Creator(client.parts().store(), client.parts().clock()).insert(request));
        world.time().pass(Duration.ofMillis(100));
        return request.id();
    }

    Job read(Client client, JobId id) {
        return world.play(client, () -> client.parts().store().read(id)).orElseThrow();
    }

    /** Deletes the document of a job as a program does that knows nothing of tombstones. */
    void delete(Client client, JobId id) {
        String rev = read(client, id).rev().orElseThrow();
        world.play(client, () -> client.database()
                .put(JsonNodeFactory.instance
                        .objectNode()
                        .put("_id", id.docId())
                        .put("_rev", rev)
                        .put("_deleted", true)));
    }

    static Decision claim(Client client, Job job, String worker) {
        return Transitions.claim(job, "token of " + worker, worker, true, now(client));
    }

    /** Writes a job, confirmed or not. */
    Job write(Client client, Decision decision) {
        Job job = decision.write().orElseThrow();
        WriteResult written =
                world.play(client, () -> client.parts().store().writer().write(job));
        if (written instanceof WriteResult.Stored stored) {
            return job.withRev(stored.rev());
        }
        return job.withRev(((WriteResult.Accepted) written).rev());
    }

    /** Ends all cuts, and lets the copies tell each other what they have. */
    void heal() {
        for (int node = 0; node < 3; node++) {
            world.cluster().heal(node);
        }
        world.time().pass(Duration.ofSeconds(10));
    }

    Optional<LeasedJob> accept(Client client, String worker) {
        Finder finder = new Finder(client.parts(), worker);
        return world.play(client, () -> {
            client.parts().index().owned(); // chooses the design documents, for which others would wait in real time
            return accept(finder);
        });
    }

    static Optional<LeasedJob> accept(Finder finder) {
        try {
            return finder.accept(AcceptOptions.of(World.TYPE).max(1).timeout(Duration.ZERO)).stream()
                    .findFirst();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

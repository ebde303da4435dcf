package io.couchjobs.simulation;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.trigger.PlayedFollower;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.Jobs;
import io.couchjobs.trigger.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Saves documents, and has several processes at once follow them for a trigger, which die now and then. */
final class TriggerActor {
    private static final int FOLLOWERS = 2;
    /** So many documents at least are saved while things go wrong. */
    private static final int FEWEST_DOCUMENTS = 5;

    private static final Trigger TRIGGER = Trigger.named("t")
            .source(Client.DATABASE)
            .prefixes("saved-")
            .from("beginning")
            .type(World.TYPE)
            .id("{_id}")
            .build();

    private final World world;
    private final List<String> saved = new ArrayList<>();
    private boolean done;

    TriggerActor(World world) {
        this.world = world;
    }

    void start() {
        Client saver = world.client("saver");
        saver.process().play("saves", () -> save(saver));
        for (int i = 0; i < FOLLOWERS; i++) {
            startFollower();
        }
    }

    boolean isDone() {
        return done;
    }

    /** The documents that somebody was told are saved, and that have no job. */
    List<String> violations(Remains remains) {
        List<String> violations = new ArrayList<>();
        if (saved.size() < FEWEST_DOCUMENTS) {
            violations.add("only " + saved.size() + " documents were saved");
        }
        saved.stream()
                .filter(id -> remains.present(new JobId(World.TYPE, id)).isEmpty())
                .forEach(id -> violations.add("the job of document " + id + " was lost"));
        return violations;
    }

    private void save(Client client) {
        int number = 0;
        while (world.isTroubled()) {
            String id = "saved-" + number++;
            if (isSaved(client.database(), id)) {
                saved.add(id);
                world.journal().note(client.process(), "saved " + id);
            }
            client.process().pause(Duration.ofMillis(client.process().random().nextInt(1000)));
        }
        client.process().pause(Duration.ofSeconds(60));
        done = true;
    }

    private static boolean isSaved(CouchDatabase database, String id) {
        try {
            return database.put(Jobs.json("{'_id':'" + id + "'}")) instanceof WriteResult.Stored;
        } catch (CouchJobsException unknown) {
            return false;
        }
    }

    private void startFollower() {
        Client client = world.client("follower");
        client.process().play("follows", () -> follow(client));
        client.process()
                .after(
                        Duration.ofMillis(1000 + client.process().random().nextInt(4000))
                                .toNanos(),
                        () -> die(client));
    }

    /** At any moment, also between two requests that belong together. */
    private void die(Client client) {
        if (world.isTroubled()) {
            world.journal().note(client.process(), "dies");
            client.process().kill();
            startFollower();
        }
    }

    private void follow(Client client) {
        PlayedFollower follower = new PlayedFollower(
                client.parts(),
                new Creator(client.parts().store(), client.parts().clock()),
                new AddRules(client.parts(), false),
                TRIGGER,
                world.plan().has(Plan.Freedom.CARELESS));
        while (!done) {
            try {
                follower.slice();
            } catch (CouchJobsException away) {
                world.journal()
                        .note(
                                client.process(),
                                "cannot follow now: " + away.getClass().getSimpleName());
            }
            client.process()
                    .pause(Duration.ofMillis(100 + client.process().random().nextInt(1000)));
        }
    }
}

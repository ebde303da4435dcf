package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.trigger.PlayedFollower;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Saves documents, and has several processes at once follow them for a trigger, which die now and then. */
final class TriggerActor {
    private static final int FOLLOWERS = 2;
    /** So many documents at least are saved while things go wrong. */
    private static final int FEWEST_DOCUMENTS = 5;

    private static final String OUTBOX = "{'_id':'%s','couchjobs':[{'type':'" + World.TYPE + "','id':'%s'}]}";
    private static final List<Kind> KINDS = List.of(
            new Kind(trigger().type(World.TYPE).id("{_id}").build(), "{'_id':'%s'}"),
            new Kind(trigger().type(World.TYPE).batch(3, Duration.ofSeconds(1)).build(), "{'_id':'%s'}"),
            new Kind(trigger().outbox(Outbox.Entries.LEAVE).build(), OUTBOX),
            new Kind(trigger().outbox(Outbox.Entries.MARK).build(), OUTBOX));

    /** A way in which documents come to their jobs. */
    private record Kind(Trigger trigger, String document) {
        ObjectNode document(String id) {
            return Jobs.json(document.replace("%s", id));
        }

        /** The documents that a job was made of. */
        Stream<String> documents(Job job) {
            return trigger.batch().isPresent()
                    ? job.data().path("changes").findValuesAsText("id").stream()
                    : Stream.of(job.id().id());
        }
    }

    private static TriggerBuilder trigger() {
        return Trigger.named("t").source(Client.DATABASE).prefixes("saved-").from("beginning");
    }

    private final World world;
    private final Kind kind;
    private final List<String> saved = new ArrayList<>();
    private boolean done;

    TriggerActor(World world, Random random) {
        this.world = world;
        this.kind = KINDS.get(random.nextInt(KINDS.size()));
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
        Set<String> made = remains.jobs().flatMap(kind::documents).collect(Collectors.toSet());
        saved.stream()
                .filter(id -> !made.contains(id))
                .forEach(id -> violations.add("the job of document " + id + " was lost"));
        return violations;
    }

    private void save(Client client) {
        int number = 0;
        while (world.isTroubled()) {
            String id = "saved-" + number++;
            if (isSaved(client.database(), kind.document(id))) {
                saved.add(id);
                world.journal().note(client.process(), "saved " + id);
            }
            client.process().pause(Duration.ofMillis(client.process().random().nextInt(1000)));
        }
        client.process().pause(Duration.ofSeconds(60));
        done = true;
    }

    private static boolean isSaved(CouchDatabase database, ObjectNode document) {
        try {
            return database.put(document) instanceof WriteResult.Stored;
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
                kind.trigger,
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

package io.couchjobs.simulation;

import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Transitions;
import io.couchjobs.problem.CouchJobsException;
import io.couchjobs.store.AddResult;
import io.couchjobs.store.CancelMode;
import io.couchjobs.store.Creator;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Adds jobs, again too, cancels, reschedules and removes them, as people and programs do. */
final class CreatorActor {
    private static final int JOBS = 6;

    private final Client client;
    private final Journal journal;
    private final Creator creator;
    private final Random random;
    private final int rounds;

    CreatorActor(Client client, Journal journal, int rounds) {
        this.client = client;
        this.journal = journal;
        this.rounds = rounds;
        this.random = client.process().random();
        this.creator = new Creator(client.parts().store(), client.parts().clock());
    }

    void start() {
        client.process().play("creator", this::create);
    }

    private void create() {
        for (int round = 0; round < rounds; round++) {
            JobId id = new JobId(World.TYPE, Integer.toString(random.nextInt(JOBS)));
            try {
                change(id);
            } catch (CouchJobsException refused) {
                journal.note(client.process(), "cannot-change " + refused.getMessage());
            }
            client.process().pause(Duration.ofMillis(random.nextInt(4_000)));
        }
    }

    private void change(JobId id) {
        Instant soon = client.parts().clock().instant().plusMillis(random.nextInt(3_000));
        int what = random.nextInt(20);
        if (what < 11) {
            add(id, soon);
        } else if (what < 13) {
            boolean added = creator.insertIfNew(request(id, soon));
            journal.note(client.process(), "inserts " + id + " " + added);
            journal.added(id);
        } else if (what < 15) {
            journal.cancelled(id);
            journal.note(client.process(), "cancels " + id);
            journal.note(client.process(), "cancelled " + id + " " + creator.cancel(id, CancelMode.REQUEST));
        } else if (what < 17) {
            creator.change(id, "stays", (job, now) -> Transitions.reschedule(job, soon, now));
        } else if (what < 19) {
            creator.change(id, "stays", (job, now) -> Transitions.prioritize(job, random.nextInt(100), now));
        } else {
            remove(id);
        }
    }

    private void remove(JobId id) {
        journal.note(client.process(), "removes " + id);
        Journal.Removal removal = journal.removing(id);
        boolean answered = false;
        try {
            creator.remove(id);
            answered = true;
            journal.note(client.process(), "removed " + id);
        } finally {
            journal.ended(removal, answered);
        }
    }

    private void add(JobId id, Instant soon) {
        journal.note(client.process(), "adds " + id);
        AddResult result = creator.add(List.of(request(id, soon)), false).get(0);
        journal.note(client.process(), "added " + id + " " + result.outcome());
        if (result.outcome() != AddResult.Outcome.REJECTED) {
            journal.added(id);
        }
    }

    private JobRequest request(JobId id, Instant soon) {
        return JobRequest.builder(id.type())
                .id(id.id())
                .data(Map.of("by", client.process().toString()))
                .scheduledTime(random.nextBoolean() ? Instant.EPOCH : soon)
                .build();
    }
}

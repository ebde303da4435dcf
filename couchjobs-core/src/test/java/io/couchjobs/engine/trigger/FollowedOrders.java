package io.couchjobs.engine.trigger;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A source with orders, and what follows it slice by slice, on a server of the test's own. */
abstract class FollowedOrders extends FaultyServer {
    CouchDatabase orders;
    FollowerTools tools;
    private SteppedParts parts;

    @BeforeEach
    void openParts() {
        orders = queue.database().server().database("orders");
        boolean unused = orders.createIfMissing();
        parts = new SteppedParts(queue);
        tools = new FollowerTools(
                parts.parts(),
                new Creator(parts.parts().store(), parts.parts().clock()),
                new AddRules(parts.parts(), false),
                new Sources(queue.database().server(), Map.of()));
    }

    @AfterEach
    void closeParts() {
        couch.faults().clear();
        parts.close();
    }

    static TriggerBuilder mails() {
        return Trigger.named("t").source("orders").type("mail").from("beginning");
    }

    SourceFollower follower(Trigger trigger) {
        return new SourceFollower(
                orders,
                tools.positions(),
                tools.starts().position(trigger, "orders", orders, false),
                tools.jobTaker(trigger, orders, new LoopGuard()),
                tools.clock(),
                tools.environment());
    }

    static Optional<Duration> slice(SourceFollower follower) {
        return follower.slice(() -> false, () -> true);
    }

    static void run(Following following) {
        try {
            following.run();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

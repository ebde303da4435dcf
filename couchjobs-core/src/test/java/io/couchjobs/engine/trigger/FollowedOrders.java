package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.ForwardingEnvironment;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.time.Duration;
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
        tools = Followers.tools(parts.parts());
    }

    @AfterEach
    void closeParts() {
        couch.faults().clear();
        parts.close();
    }

    static TriggerBuilder mails() {
        return Trigger.named("t").source("orders").type("mail").from("beginning");
    }

    /** The trigger, whose document is stored as by hand: nothing has begun. */
    Trigger stored(Trigger trigger) {
        return Trigger.parse(tools.triggers().change(trigger.name(), present -> {
            ObjectNode next = trigger.toDocument();
            Optional.ofNullable(present.get("_rev")).ifPresent(rev -> next.set("_rev", rev));
            return next;
        }));
    }

    SourceFollower follower(Trigger trigger) {
        return Followers.of(tools, trigger, orders);
    }

    /** All changes come within a minute, however slow the machine is. */
    SourceFollower followerInOneMoment(Trigger trigger) {
        Environment moment = new ForwardingEnvironment() {
            @Override
            public long nanos() {
                return 0;
            }
        };
        JobMaker maker = new JobMaker(tools.parts().store(), tools.creator(), tools.rules(), tools.clock());
        OutboxEntries outbox = new OutboxEntries(orders, tools.environment());
        return Followers.of(
                tools,
                trigger,
                orders,
                new JobTaker(
                        trigger,
                        new SourceReader(trigger, orders),
                        maker,
                        outbox,
                        new LoopGuard(),
                        tools.clock(),
                        moment));
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

package io.couchjobs.engine.trigger;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.trigger.Trigger;
import java.util.Map;

/** Makes followers that a test has take one slice after the other. */
final class Followers {
    private Followers() {}

    static FollowerTools tools(QueueParts parts) {
        return new FollowerTools(
                parts,
                new Creator(parts.store(), parts.clock()),
                new AddRules(parts, false),
                new Sources(parts.store().database().server(), Map.of()));
    }

    /** A follower that makes jobs of the changes of its database. */
    static SourceFollower of(FollowerTools tools, Trigger trigger, CouchDatabase source) {
        return of(tools, trigger, source, tools.jobTaker(trigger, source, new LoopGuard()));
    }

    static SourceFollower of(FollowerTools tools, Trigger trigger, CouchDatabase source, Taker taker) {
        return new SourceFollower(tools, source, tools.starts().position(trigger, source.name(), source, false), taker);
    }
}

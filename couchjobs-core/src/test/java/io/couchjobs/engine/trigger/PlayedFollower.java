package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.trigger.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A follower without a lease, slice by slice; its trigger follows one database. A careless one is wrong. */
public final class PlayedFollower {
    private final FollowerTools tools;
    private final Trigger trigger;
    private final CouchDatabase source;
    private final boolean careless;
    private @Nullable SourceFollower follower;
    private @Nullable Taker taker;

    public PlayedFollower(QueueParts parts, Creator creator, AddRules rules, Trigger trigger, boolean careless) {
        this.tools = new FollowerTools(
                parts, creator, rules, new Sources(parts.store().database().server(), Map.of()));
        this.trigger = trigger;
        this.careless = careless;
        this.source = tools.queue().server().database(trigger.source());
    }

    /** Takes what there is. */
    public void slice() {
        SourceFollower known = follower;
        if (known == null) {
            Taker careful = tools.jobTaker(trigger, source, new LoopGuard());
            taker = careless ? new Careless(careful) : careful;
            known = new SourceFollower(
                    tools, source, tools.starts().position(trigger, trigger.source(), source, false), taker);
            follower = known;
        }
        try {
            var unused = known.slice(() -> false, () -> true);
            if (taker instanceof Careless hasty) {
                hasty.make(known.position());
            }
        } catch (Positions.MovedException elsewhere) {
            follower = null; // reads the position anew
        }
    }

    /** Makes the jobs after the position was stored. */
    private static final class Careless implements Taker {
        private final Taker careful;
        private final List<Change> passed = new ArrayList<>();

        Careless(Taker careful) {
            this.careful = careful;
        }

        @Override
        public ChangesRequest request(ChangesRequest all) {
            return careful.request(all);
        }

        @Override
        public boolean concerns(Position position, Change change) {
            return careful.concerns(position, change);
        }

        @Override
        public Step take(Position position, List<Change> changes) {
            passed.addAll(changes);
            String last = changes.get(changes.size() - 1).seq();
            return new Step(last, changes.size(), 0, List.of(), List.of(), Optional.empty());
        }

        void make(Position position) {
            List<Change> due = List.copyOf(passed);
            passed.clear();
            if (!due.isEmpty()) {
                var unused = careful.take(position, due);
            }
        }
    }
}

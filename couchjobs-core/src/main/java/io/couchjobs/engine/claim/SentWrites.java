package io.couchjobs.engine.claim;

import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import java.util.ArrayList;
import java.util.List;

/** The writes of a claim that were sent and neither confirmed nor refused. Any of them may be stored. Not thread-safe. */
final class SentWrites {
    private final ServerClock clock;
    private final List<Sent> all = new ArrayList<>();

    SentWrites(ServerClock clock) {
        this.clock = clock;
    }

    /** A write, and when it was first sent. Monitors may have seen the write since then, even if it was sent again. */
    record Sent(Job job, long nanos) {}

    /** {@return the record of the write; an unknown write counts as first sent now} */
    Sent add(Job next) {
        for (Sent known : all) {
            if (known.job() == next) {
                return known;
            }
        }
        Sent first = new Sent(next, clock.nanos());
        all.add(first);
        return first;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    Sent last() {
        return all.get(all.size() - 1);
    }

    /** {@return whether a leaf is one of these writes, as it was sent} */
    boolean haveMade(Job leaf) {
        return all.stream().anyMatch(sent -> ClusterTransitions.isStill(leaf, sent.job()));
    }

    void refused(Job next) {
        all.remove(add(next));
    }

    void clear() {
        all.clear();
    }
}

package io.couchjobs.engine.trigger;

import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.trigger.SourceChange;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Slows down the jobs of a document that keeps changing, most likely because its own jobs write it. The jobs wait, and no job is
 * lost. One guard serves all databases of a trigger, which may be thousands. Thread-safe.
 */
final class LoopGuard {
    /** The number of changes within a minute above which the jobs of a document wait. */
    static final int MOST = 30;

    static final Duration PAUSE = Duration.ofMinutes(1);
    private static final int MOST_DOCUMENTS = 50_000;

    private final Map<String, Seen> seen = RecentMap.byUse(MOST_DOCUMENTS);

    /** The revisions of a document since a moment. A set, because a waiting change is seen many times but counts once. */
    private record Seen(long since, Set<String> revs) {}

    /** Counts a change, and returns whether its job has to wait. */
    synchronized boolean slowsDown(SourceChange change, long nanos) {
        Seen now = seen.merge(
                change.database() + "/" + change.id(),
                new Seen(nanos, new HashSet<>()),
                (before, none) -> nanos - before.since > PAUSE.toNanos() ? none : before);
        if (now.revs.size() <= MOST) {
            now.revs.add(change.rev());
        }
        return now.revs.size() > MOST;
    }

    static Optional<String> warning(String docId) {
        return Optional.of("document " + docId + " changed more than " + MOST
                + " times within a minute, so its jobs wait a minute each. Does"
                + " their handler write the document? ignoreOwn lets the trigger leave out such changes");
    }
}

package io.couchjobs.engine.watch;

import io.couchjobs.engine.store.JobReader;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads followed jobs again when the feed left a doubt, in a lane of its own. Thread-safe.
 *
 * <p>It first reads only revisions, 500 at a time. Then it reads the documents whose revisions are not the known ones.
 * While the database cannot be reached, it keeps trying.
 */
final class Rereader implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Rereader.class);
    private static final int DOCUMENTS = 50;
    /** How long a copy may lag behind. An older state is believed only when it is read again after this time. */
    private static final Duration LAG = Duration.ofSeconds(1);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private final Followers followers;
    private final JobReader reader;
    private final Environment environment;
    private final Lane lane;
    private final Backoff backoff;
    private final Set<String> waiting = new LinkedHashSet<>();
    /** The waiting documents about which the feed left no doubt. */
    private final Set<String> undoubted = new HashSet<>();

    private boolean planned;
    /** The older states that were read once, by document. Only the lane uses it. */
    private final Map<String, Doubt> doubts = new HashMap<>();

    private record Doubt(String rev, long nanos) {}

    Rereader(Followers followers, JobReader reader, Environment environment) {
        this.followers = followers;
        this.reader = reader;
        this.environment = environment;
        this.lane = environment.lane("couchjobs-rereader", 1);
        this.backoff = new Backoff(environment, Duration.ofMillis(100), Duration.ofSeconds(5));
    }

    /** Reads these documents as soon as possible. */
    synchronized void read(Collection<String> docIds) {
        waiting.addAll(docIds);
        undoubted.removeAll(docIds);
        plan();
    }

    private void plan() {
        if (!waiting.isEmpty() && !planned) {
            planned = true;
            lane.execute(this::work);
        }
    }

    /**
     * Reads the job of a new follower again after a second, and ever less often while the follower remains. The feed
     * may have reported an end earlier, which only the feed's copy had. Two other copies may then have answered the
     * first read with the state before that end. Only a later state counts here.
     */
    void readNowAndThen(Follower follower) {
        readAfter(LAG, follower);
    }

    private void readAfter(Duration pause, Follower follower) {
        follower.planned(lane.schedule(pause, () -> {
            String docId = follower.jobId().docId();
            if (followers.of(docId).contains(follower)) {
                look(docId);
                Duration next = pause.multipliedBy(4);
                readAfter(next.compareTo(LONGEST_PAUSE) < 0 ? next : LONGEST_PAUSE, follower);
            }
        }));
    }

    private synchronized void look(String docId) {
        if (waiting.add(docId)) {
            undoubted.add(docId);
        }
        plan();
    }

    @Override
    public void close() {
        lane.close();
    }

    private void work() {
        for (List<String> page = nextPage(); !page.isEmpty(); page = nextPage()) {
            try {
                readPage(page);
                backoff.reset();
            } catch (RuntimeException | Error e) {
                log.debug("{} jobs cannot be read now, trying again until they can", page.size(), e);
                synchronized (this) {
                    waiting.addAll(page);
                }
                lane.schedule(backoff.next(), this::work);
                return;
            }
        }
    }

    private synchronized List<String> nextPage() {
        List<String> page = new ArrayList<>();
        for (Iterator<String> next = waiting.iterator();
                next.hasNext() && page.size() < JobReader.PAGE;
                next.remove()) {
            page.add(next.next());
        }
        page.removeIf(this::isForgotten);
        planned = !page.isEmpty() || !waiting.isEmpty();
        return page.isEmpty() && !waiting.isEmpty() ? nextPage() : page;
    }

    private boolean isForgotten(String docId) {
        boolean forgotten = followers.of(docId).isEmpty();
        if (forgotten) {
            undoubted.remove(docId);
            doubts.remove(docId);
        }
        return forgotten;
    }

    private synchronized Set<String> undoubted(List<String> docIds) {
        Set<String> some = new HashSet<>(docIds);
        some.retainAll(undoubted);
        undoubted.removeAll(some);
        return some;
    }

    private void readPage(List<String> docIds) {
        Set<String> sure = undoubted(docIds);
        docIds.forEach(docId -> followers.of(docId).forEach(Follower::expectReading));
        Map<String, JobReader.Standing> standings = reader.standings(docIds);
        List<String> unknown = docIds.stream()
                .filter(docId -> !isKnown(docId, standings.get(docId)))
                .toList();
        for (int from = 0; from < unknown.size(); from += DOCUMENTS) {
            reader.snapshots(unknown.subList(from, Math.min(unknown.size(), from + DOCUMENTS)))
                    .forEach((docId, found) -> {
                        if (!followers.isSure(found)) {
                            followers.confirm(found);
                            return;
                        }
                        reader.lastWords(found)
                                .ifPresent(last -> followers.of(docId).forEach(follower -> follower.hears(last)));
                        if (sure.contains(docId) && !doubts.containsKey(docId)) {
                            followers.of(docId).forEach(follower -> {
                                boolean unused = follower.reads(found, false);
                            });
                        } else {
                            tell(docId, found);
                        }
                    });
        }
    }

    private boolean isKnown(String docId, JobReader.@Nullable Standing standing) {
        boolean known =
                standing != null && followers.of(docId).stream().allMatch(follower -> follower.knows(standing.rev()));
        if (known) {
            doubts.remove(docId);
        }
        return known;
    }

    private void tell(String docId, Snapshot found) {
        Doubt before = doubts.get(docId);
        long now = environment.nanos();
        Doubt doubt = before != null && before.rev.equals(found.rev()) ? before : new Doubt(found.rev(), now);
        boolean confirmed = now - doubt.nanos >= LAG.toNanos();
        boolean certain = true;
        for (Follower follower : followers.of(docId)) {
            certain &= follower.reads(found, confirmed);
        }
        if (certain) {
            doubts.remove(docId);
        } else {
            doubts.put(docId, doubt);
            lane.schedule(LAG.plusMillis(1), () -> read(List.of(docId)));
        }
    }
}

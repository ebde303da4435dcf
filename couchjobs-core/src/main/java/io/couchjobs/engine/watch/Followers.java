package io.couchjobs.engine.watch;

import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.store.ConfirmedEnds;
import io.couchjobs.engine.store.JobReader;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All followers of single jobs in this process, by document id. One feed serves all of them. Thread-safe. */
final class Followers implements FeedListener, ConfirmedEnds.Listener, AutoCloseable {
    private final Feed feed;
    private final JobStore store;
    private final JobReader reader;
    private final ConfirmedEnds ends;
    private final Rereader rereader;
    private final Lane actions;
    private final Map<String, List<Follower>> byDocId = new ConcurrentHashMap<>();
    private @Nullable Listening listening;
    private volatile boolean closed;

    Followers(Feed feed, JobStore store) {
        this.feed = feed;
        this.store = store;
        this.reader = new JobReader(store.database());
        this.ends = store.ends();
        this.rereader = new Rereader(this, reader, store.environment());
        this.actions = store.environment().lane("couchjobs-ended", Integer.MAX_VALUE);
    }

    Environment environment() {
        return store.environment();
    }

    /** {@return the lane that runs users' actions on events and ends, which may block} */
    Lane actions() {
        return actions;
    }

    Job withData(Job job) {
        return store.withData(job);
    }

    /**
     * Adds a follower before its job is read, or finds the present follower of the same subscriber. The caller must
     * call {@link #endOpening} afterwards.
     */
    Follower join(Follower fresh) {
        listen();
        Follower[] joined = {fresh};
        byDocId.compute(fresh.jobId().docId(), (docId, present) -> {
            List<Follower> before = present == null ? List.of() : present;
            joined[0] = find(before, fresh.subscriber()).orElse(fresh);
            joined[0].beginOpening();
            return with(before, joined[0]);
        });
        if (closed) { // perhaps just now, when closing missed the new follower
            leave(joined[0]);
            joined[0].stop();
        }
        return joined[0];
    }

    /**
     * Ends the opening of a follower, whether it succeeded or failed. The follower stays if it was opened, or while
     * another thread with the same subscriber is about to open it.
     */
    void endOpening(Follower joined) {
        byDocId.computeIfPresent(
                joined.jobId().docId(), (docId, present) -> joined.endOpening() ? without(present, joined) : present);
    }

    void leave(Follower follower) {
        follower.cancelReading();
        byDocId.computeIfPresent(follower.jobId().docId(), (docId, present) -> without(present, follower));
    }

    /**
     * Reads the job again from time to time. Before the follower joined, the feed may have reported a newer state than
     * the first read found.
     */
    void readNowAndThen(Follower opened) {
        rereader.readNowAndThen(opened);
    }

    List<Follower> of(String docId) {
        return byDocId.getOrDefault(docId, List.of());
    }

    @Override
    public void changed(FeedEvent event) {
        List<Follower> followers = of(event.docId());
        if (followers.isEmpty()) {
            return;
        }
        Optional<Snapshot> news = event.seen(followers.get(0).jobId());
        if (event.isRetired() && news.filter(ends::isSure).isPresent()) {
            // Followers that heard how the job finished are gone. The other followers missed the end. So the job's last
            // document is read, which says more than the tombstone.
            rereader.read(List.of(event.docId()));
            return;
        }
        if (event.isResolved()) {
            ends.ask(followers.get(0).jobId(), this);
            return;
        }
        if (news.filter(seen -> !ends.isSure(seen)).isPresent()) {
            confirm(news.get());
            return;
        }
        boolean certain = news.isPresent() || event.document() != null;
        for (Follower follower : followers) {
            certain &= news.map(follower::hears).orElse(true);
        }
        if (!certain) {
            rereader.read(List.of(event.docId()));
        }
    }

    /** Reports the state that a majority of the copies has, as soon as it is known. */
    void confirm(Snapshot seen) {
        ends.ask(seen, this);
    }

    /**
     * Takes in a state that a majority has. An end counts, at the latest when it is reported twice. Any other state may
     * be outdated by now.
     */
    @Override
    public void told(Snapshot sure) {
        if (sure.isEnd()) {
            tellEnd(sure);
        } else if (!tell(sure.id(), follower -> follower.hears(sure))) {
            rereader.read(List.of(sure.id().docId()));
        }
    }

    /**
     * Reports an end. A follower may have joined after that end was read, with a job that was added since. Then the
     * majority is asked again.
     */
    private void tellEnd(Snapshot sure) {
        Optional<Snapshot> lastWords = reader.lastWords(sure);
        if (!tell(sure.id(), follower -> follower.isSureOf(sure, lastWords))) {
            ends.ask(sure.id(), this);
        }
    }

    /** {@return whether no follower of the job is in doubt} */
    private boolean tell(JobId id, Predicate<Follower> isCertain) {
        boolean certain = true;
        for (Follower follower : of(id.docId())) {
            certain &= isCertain.test(follower);
        }
        return certain;
    }

    @Override
    public boolean asks(JobId id) {
        return !of(id.docId()).isEmpty();
    }

    boolean isSure(Snapshot seen) {
        return ends.isSure(seen);
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return !of(notice.docId()).isEmpty();
    }

    @Override
    public boolean needsEach() {
        return !byDocId.isEmpty();
    }

    @Override
    public Duration patience() {
        return byDocId.isEmpty() ? LATER : SOON;
    }

    /** Reads the document if a follower was added just now. */
    @Override
    public void unread(FeedNotice notice) {
        if (needsDocument(notice)) {
            rereader.read(List.of(notice.docId()));
        }
    }

    @Override
    public void gap() {
        rereader.read(byDocId.keySet());
    }

    @Override
    public void close() {
        closed = true;
        rereader.close();
        List<Follower> all = new ArrayList<>();
        byDocId.values().forEach(all::addAll);
        byDocId.clear();
        all.forEach(Follower::stop);
    }

    private synchronized void listen() {
        if (listening == null) {
            listening = feed.listen(this);
        }
    }

    private static List<Follower> with(List<Follower> present, Follower joining) {
        if (present.contains(joining)) {
            return present;
        }
        List<Follower> more = new ArrayList<>(present);
        more.add(joining);
        return List.copyOf(more);
    }

    private static Optional<Follower> find(List<Follower> followers, Object subscriber) {
        return followers.stream()
                .filter(follower -> follower.subscriber().equals(subscriber) && !follower.isOver())
                .findFirst();
    }

    private static @Nullable List<Follower> without(List<Follower> present, Follower leaving) {
        List<Follower> rest = present.stream()
                .filter(follower -> !Objects.equals(follower, leaving))
                .toList();
        return rest.isEmpty() ? null : rest;
    }
}

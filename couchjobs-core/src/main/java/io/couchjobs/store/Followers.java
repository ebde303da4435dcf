package io.couchjobs.store;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All who follow single jobs in this process, found by document id: one feed serves them all. Thread-safe. */
final class Followers implements Feed.Listener, AutoCloseable {
    private final Feed feed;
    private final JobReader reader;
    private final Rereader rereader;
    private final Map<String, List<Follower>> byDocId = new ConcurrentHashMap<>();
    private Feed.@Nullable Listening listening;
    private volatile boolean closed;

    Followers(Feed feed, JobReader reader) {
        this.feed = feed;
        this.reader = reader;
        this.rereader = new Rereader(this, reader);
    }

    Job withData(Job job) {
        return reader.withData(job);
    }

    /** Lets somebody follow a job, from before the job is read; or finds who follows it for the same subscriber. */
    Follower join(Follower fresh) {
        listen();
        List<Follower> all = byDocId.compute(
                fresh.jobId().docId(),
                (docId, present) -> present == null ? List.of(fresh) : findOrAdd(present, fresh));
        Follower joined = find(all, fresh.subscriber()).orElse(fresh);
        if (closed) { // in this very moment, perhaps: nobody else may have seen it
            leave(joined);
            joined.stop();
        }
        return joined;
    }

    void leave(Follower follower) {
        byDocId.computeIfPresent(follower.jobId().docId(), (docId, present) -> without(present, follower));
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
        if (event.isRetired()) {
            // They heard of its finish and are gone, or missed it: the document tells more than its tombstone.
            rereader.read(List.of(event.docId()));
            return;
        }
        Optional<Snapshot> news = news(followers.get(0).jobId(), event);
        boolean certain = news.isPresent() || event.document() != null;
        for (Follower follower : followers) {
            certain &= news.map(follower::hears).orElse(true);
        }
        if (!certain) {
            rereader.read(List.of(event.docId()));
        }
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return !of(notice.docId()).isEmpty();
    }

    /** Somebody may have begun to follow it in this very moment. */
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

    private static Optional<Snapshot> news(JobId id, FeedEvent event) {
        return event.deleted()
                ? Optional.of(Snapshot.gone(id, event.rev()))
                : Optional.ofNullable(event.document()).flatMap(Snapshot::of);
    }

    private static List<Follower> findOrAdd(List<Follower> present, Follower fresh) {
        if (find(present, fresh.subscriber()).isPresent()) {
            return present;
        }
        List<Follower> more = new ArrayList<>(present);
        more.add(fresh);
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

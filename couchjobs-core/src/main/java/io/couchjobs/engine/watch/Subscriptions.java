package io.couchjobs.engine.watch;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.store.ConfirmedEnds;
import io.couchjobs.engine.store.JobReader;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Deadline;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.NotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Lets callers follow single jobs. Thread-safe.
 *
 * <p>A follower joins before its job is read, so no change in between is missed. All followers share the one connection
 * of the {@link Feed}. After an interruption all jobs are looked up again, 500 at a time.
 */
public final class Subscriptions implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final JobReader reader;
    private final JobStore store;
    private final ConfirmedEnds ends;
    private final Followers followers;

    /** No I/O. */
    public Subscriptions(Feed feed, JobStore store) {
        this.reader = new JobReader(store.database());
        this.store = store;
        this.ends = store.ends();
        this.followers = new Followers(feed, store);
    }

    /**
     * Subscribes to a job. A subscriber that has an open subscription to the job gets the same one again.
     *
     * @return the subscription; closed when the job has finished already
     * @throws NotFoundException when there is no such job
     * @throws io.couchjobs.job.MalformedDocumentException when the document cannot be a job
     * @throws CouchJobsException when the job seems to have ended or not to exist, and this cannot be confirmed because
     *     no majority of a cluster's copies is in reach for ten seconds
     */
    public JobSubscription subscribe(JobId id, Object subscriber) {
        JobSubscription fresh = new JobSubscription(id, subscriber, followers);
        try {
            return open(fresh, Deadline.after(store.environment(), PATIENCE)).orElseThrow(() -> unknown(id));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouchJobsException("interrupted while subscribing to job " + id, e);
        }
    }

    private static CouchJobsException unknown(JobId id) {
        return new CouchJobsException("no majority of the copies of job " + id
                + " is in reach; whether the job exists or has ended is unknown; try again when the cluster is whole");
    }

    /**
     * Subscribes to many jobs, which are read 500 at a time.
     *
     * @return the subscriptions by job, in the order given; jobs that do not exist or cannot be read are left out
     * @throws CouchJobsException when a job seems to have ended or not to exist, and no majority of a cluster's copies
     *     is in reach for ten seconds
     */
    public Map<JobId, JobSubscription> subscribeAll(Collection<JobId> ids, Object subscriber) {
        ends.prepare();
        Map<JobId, JobSubscription> joined = new LinkedHashMap<>();
        List<JobSubscription> made = new ArrayList<>();
        List<Follower> opening = new ArrayList<>();
        try {
            for (JobId id : ids) {
                JobSubscription fresh = new JobSubscription(id, subscriber, followers);
                made.add(fresh);
                opening.add(followers.join(fresh));
                joined.put(id, (JobSubscription) opening.get(opening.size() - 1));
            }
            openAll(joined);
        } catch (RuntimeException e) {
            made.stream().filter(JobSubscription::isOpen).forEach(JobSubscription::close);
            throw e;
        } finally {
            opening.forEach(followers::endOpening);
        }
        return joined;
    }

    @Override
    public void close() {
        followers.close();
    }

    Optional<Job> await(JobId id, Predicate<Job> wanted, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.after(store.environment(), timeout);
        Awaited fresh = new Awaited(id, wanted);
        try {
            Optional<Awaited> awaited = open(fresh, deadline);
            return awaited.isPresent() ? awaited.get().get(store.environment(), deadline.left()) : Optional.empty();
        } finally {
            followers.leave(fresh);
        }
    }

    /** Opens a follower. Returns empty when the state of the job cannot be known by the deadline. */
    @SuppressWarnings("unchecked") // all followers of one subscriber are of one kind
    private <F extends Follower> Optional<F> open(F fresh, Deadline deadline) throws InterruptedException {
        ends.prepare();
        F joined = (F) followers.join(fresh);
        try {
            if (!joined.isOpen() && !read(joined, deadline)) {
                return Optional.empty();
            }
        } finally {
            followers.endOpening(joined);
        }
        if (joined.beganWith(JobPhase.NOT_FOUND)) {
            followers.leave(joined);
            throw new NotFoundException(joined.jobId());
        }
        return Optional.of(joined);
    }

    private boolean read(Follower joined, Deadline deadline) throws InterruptedException {
        JobId id = joined.jobId();
        Snapshot first = store.read(id).map(Snapshot::of).orElseGet(() -> notFound(id));
        Optional<Snapshot> sure = isSure(first)
                ? Optional.of(first)
                : Optional.ofNullable(sure(List.of(id.docId()), deadline).get(id.docId()));
        sure.ifPresent(snapshot -> open(joined, snapshot));
        return joined.isOpen(); // another thread may have opened it: the same subscriber has the same subscription
    }

    /**
     * Returns the state of a job that is gone. It has the revision of the tombstone, if there is one. So a state that
     * the feed reported before the removal is known to be older.
     */
    private Snapshot notFound(JobId id) {
        return reader.snapshots(List.of(id.docId())).getOrDefault(id.docId(), Snapshot.gone(id, ""));
    }

    private void open(Follower joined, Snapshot first) {
        if (joined.open(first) && store.mayBeCluster() && !joined.isOver()) {
            followers.readNowAndThen(joined);
        }
    }

    private boolean isSure(Snapshot first) {
        return ends.isSure(first) || !store.isCluster();
    }

    private void openAll(Map<JobId, JobSubscription> joined) {
        List<JobSubscription> fresh = joined.values().stream()
                .filter(subscription -> !subscription.isOpen())
                .toList();
        for (int from = 0; from < fresh.size(); from += JobReader.PAGE) {
            openPage(fresh.subList(from, Math.min(fresh.size(), from + JobReader.PAGE)), joined);
        }
    }

    private void openPage(List<JobSubscription> page, Map<JobId, JobSubscription> joined) {
        List<String> docIds = new ArrayList<>();
        page.forEach(subscription -> docIds.add(subscription.id().docId()));
        Map<String, Snapshot> found = sure(reader.snapshots(docIds), Deadline.after(store.environment(), PATIENCE));
        for (JobSubscription subscription : page) {
            Snapshot first = found.get(subscription.id().docId());
            if (first != null) {
                open(subscription, first);
            }
            if (subscription.beganWith(JobPhase.NOT_FOUND)) {
                followers.leave(subscription);
            }
            if (first == null || subscription.beganWith(JobPhase.NOT_FOUND)) {
                joined.remove(subscription.id());
            }
        }
    }

    /** Returns the given states. Jobs that seem to have ended or to be gone get the state that a majority has. */
    private Map<String, Snapshot> sure(Map<String, Snapshot> found, Deadline deadline) {
        List<String> doubtful = found.entrySet().stream()
                .filter(one -> !isSure(one.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        if (doubtful.isEmpty()) {
            return found;
        }
        Map<String, Snapshot> sure = new HashMap<>(found);
        sure.keySet().removeAll(doubtful);
        try {
            sure.putAll(sure(doubtful, deadline));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouchJobsException("interrupted while subscribing to jobs", e);
        }
        doubtful.stream().filter(docId -> !sure.containsKey(docId)).findFirst().ifPresent(docId -> {
            throw unknown(JobId.fromDocId(docId).orElseThrow());
        });
        return sure;
    }

    /** Returns the states that a majority has, normally after two probes. States that are not known in time are left out. */
    private Map<String, Snapshot> sure(List<String> docIds, Deadline deadline) throws InterruptedException {
        Backoff backoff = new Backoff(store.environment(), Duration.ofMillis(20), Duration.ofSeconds(1));
        List<String> unknown = new ArrayList<>(docIds);
        Map<String, Snapshot> sure = new HashMap<>(ends.read(unknown));
        unknown.removeAll(sure.keySet());
        while (!unknown.isEmpty() && deadline.nanosLeft() > 0) {
            Duration pause = backoff.next();
            store.environment().pause(pause.compareTo(deadline.left()) < 0 ? pause : deadline.left());
            sure.putAll(ends.read(unknown));
            unknown.removeAll(sure.keySet());
        }
        return sure;
    }
}

package io.couchjobs.store;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Lets callers follow single jobs. Thread-safe.
 *
 * <p>A job is followed from before it is read, so that nothing happens in between. However many are followed, they share the
 * one connection of the {@link Feed}; when that was interrupted, all are looked up again, 500 at a time.
 */
public final class Subscriptions implements AutoCloseable {
    private final JobReader reader;
    private final JobStore store;
    private final Followers followers;

    /**
     * Follows jobs through a feed. No I/O.
     *
     * @param feed what tells of changes
     * @param store where the jobs are
     */
    public Subscriptions(Feed feed, JobStore store) {
        this.reader = new JobReader(store.database());
        this.store = store;
        this.followers = new Followers(feed, reader);
    }

    /**
     * Subscribes to a job.
     *
     * @param id the job
     * @param subscriber who subscribes: the same subscriber and job have the same open subscription
     * @return the subscription; closed when the job has finished already
     * @throws JobNotFoundException when there is no such job
     * @throws io.couchjobs.job.MalformedJobException when the document cannot be a job
     */
    public Subscription subscribe(JobId id, Object subscriber) {
        return open(new Subscription(id, subscriber, followers));
    }

    /**
     * Subscribes to many jobs, which are read 500 at a time.
     *
     * @param ids the jobs
     * @param subscriber who subscribes
     * @return by job, in the order given, the subscriptions; jobs that do not exist or cannot be read are left out
     */
    public Map<JobId, Subscription> subscribeAll(Collection<JobId> ids, Object subscriber) {
        Map<JobId, Subscription> joined = new LinkedHashMap<>();
        try {
            for (JobId id : ids) {
                Follower follower = followers.join(new Subscription(id, subscriber, followers));
                joined.put(id, (Subscription) follower);
            }
            openAll(joined);
        } catch (RuntimeException e) {
            joined.values().stream()
                    .filter(subscription -> !subscription.isOpen())
                    .forEach(followers::leave);
            throw e;
        }
        return joined;
    }

    @Override
    public void close() {
        followers.close();
    }

    Optional<Job> await(JobId id, Predicate<Job> wanted, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.after(timeout);
        Awaited awaited = open(new Awaited(id, wanted));
        try {
            return awaited.get(deadline.left());
        } finally {
            followers.leave(awaited);
        }
    }

    @SuppressWarnings("unchecked") // who joined for the same subscriber is of the same kind
    private <F extends Follower> F open(F fresh) {
        F joined = (F) followers.join(fresh);
        if (!joined.isOpen()) {
            read(joined);
        }
        if (joined.beganWith(JobState.NOT_FOUND)) {
            followers.leave(joined);
            throw new JobNotFoundException(joined.jobId());
        }
        return joined;
    }

    private void read(Follower joined) {
        JobId id = joined.jobId();
        try {
            joined.open(store.read(id).map(Snapshot::of).orElseGet(() -> Snapshot.gone(id, "")));
        } catch (RuntimeException e) {
            followers.leave(joined);
            throw e;
        }
    }

    private void openAll(Map<JobId, Subscription> joined) {
        List<Subscription> fresh = joined.values().stream()
                .filter(subscription -> !subscription.isOpen())
                .toList();
        for (int from = 0; from < fresh.size(); from += JobReader.PAGE) {
            openPage(fresh.subList(from, Math.min(fresh.size(), from + JobReader.PAGE)), joined);
        }
    }

    private void openPage(List<Subscription> page, Map<JobId, Subscription> joined) {
        List<String> docIds = new ArrayList<>();
        page.forEach(subscription -> docIds.add(subscription.id().docId()));
        Map<String, Snapshot> found = reader.snapshots(docIds);
        for (Subscription subscription : page) {
            Snapshot first = found.get(subscription.id().docId());
            if (first != null) {
                subscription.open(first);
            }
            if (first == null || subscription.beganWith(JobState.NOT_FOUND)) {
                followers.leave(subscription);
                joined.remove(subscription.id());
            }
        }
    }
}

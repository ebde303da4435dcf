package io.couchjobs.store;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Follows what happens to jobs. Thread-safe. */
public final class Watch {
    private static final Duration LONGEST = Duration.ofDays(1000);
    private static final int REMEMBERED = 10_000;

    private final Feed feed;
    private final JobStore store;

    /**
     * Watches through a feed.
     *
     * @param feed what tells of changes
     * @param store where the jobs are
     */
    public Watch(Feed feed, JobStore store) {
        this.feed = feed;
        this.store = store;
    }

    /**
     * Hears of every change of status from now on.
     *
     * @param filter which jobs; a removed job is told if its type passes
     * @param listener called on the feed's thread: must be quick
     * @return ends the watching when closed
     */
    public Feed.Listening follow(JobFilter filter, Consumer<JobChange> listener) {
        return feed.listen(new StatusChanges(filter, listener));
    }

    /**
     * Waits until a job is as wanted.
     *
     * @param id the job
     * @param wanted what it should be like
     * @param timeout how long to wait at most
     * @return the job when it was as wanted; empty when the time is over
     * @throws JobNotFoundException when there is no such job, or it is removed meanwhile
     * @throws InterruptedException when interrupted while waiting
     */
    public Optional<Job> await(JobId id, Predicate<Job> wanted, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos();
        Latest latest = new Latest(id);
        Feed.Listening listening = feed.listen(latest);
        try {
            // What the feed tells while this is read is newer, and must not be overwritten by it.
            Optional<Job> present = Optional.of(existing(id));
            while (present.isPresent() && !wanted.test(present.get())) {
                // The feed may tell an old story: a job that is gone may have been added again.
                present = latest.take(deadline - System.nanoTime()).map(news -> news.orElseGet(() -> existing(id)));
            }
            return present;
        } finally {
            listening.close();
        }
    }

    private Job existing(JobId id) {
        return store.read(id).orElseThrow(() -> new JobNotFoundException(id));
    }

    /** The newest state of one job; what was not looked at in time is overwritten. */
    private final class Latest implements Feed.Listener {
        private final JobId id;
        private Optional<Job> newest = Optional.empty();
        private boolean isNew;

        Latest(JobId id) {
            this.id = id;
        }

        @Override
        public void changed(FeedEvent event) {
            if (event.docId().equals(id.docId())) {
                set(event.job());
            }
        }

        @Override
        public void gap() {
            set(store.read(id));
        }

        synchronized void set(Optional<Job> job) {
            newest = job;
            isNew = true;
            notifyAll();
        }

        synchronized Optional<Optional<Job>> take(long nanos) throws InterruptedException {
            long deadline = System.nanoTime() + nanos;
            while (!isNew && deadline - System.nanoTime() > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, deadline - System.nanoTime());
            }
            Optional<Optional<Job>> taken = isNew ? Optional.of(newest) : Optional.empty();
            isNew = false;
            return taken;
        }
    }

    /** Passes on an event only when the status differs from the last one heard of that job. */
    private static final class StatusChanges implements Feed.Listener {
        private final JobFilter filter;
        private final Consumer<JobChange> listener;
        private final Map<JobId, JobStatus> last = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<JobId, JobStatus> eldest) {
                return size() > REMEMBERED;
            }
        };

        StatusChanges(JobFilter filter, Consumer<JobChange> listener) {
            this.filter = filter;
            this.listener = listener;
        }

        @Override
        public void changed(FeedEvent event) {
            JobId.fromDocId(event.docId()).ifPresent(id -> {
                Optional<Job> job = event.job();
                if (event.deleted()) {
                    removed(id);
                } else if (job.isPresent()
                        && last.put(id, job.get().status()) != job.get().status()) {
                    tell(job.get());
                }
            });
        }

        private void removed(JobId id) {
            last.remove(id);
            if (filter.ofType() == null || filter.ofType().equals(id.type())) {
                listener.accept(new JobChange(id, JobState.NOT_FOUND, null));
            }
        }

        private void tell(Job job) {
            if (filter.matches(job)) {
                listener.accept(new JobChange(job.id(), job.state(), job));
            }
        }
    }
}

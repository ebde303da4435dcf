package io.couchjobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Subscription;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the jobs of a queue and listens for their changes. Thread-safe. A program that changes no jobs needs no other type. {@link
 * JobQueue} lists the exceptions that all methods throw.
 */
public interface JobMonitor {
    /**
     * Reads a job, with its data.
     *
     * @param id its identity
     * @return the job as it is now; empty when there is none
     * @throws io.couchjobs.job.MalformedDocumentException when the document cannot be a job
     */
    Optional<Job> get(JobId id);

    /**
     * {@return the same as {@link #get(JobId)}, by type and id}
     *
     * @param type its type
     * @param id its id
     */
    default Optional<Job> get(String type, String id) {
        return get(new JobId(type, id));
    }

    /**
     * Reads the phase of a job: its status in the terms of the RFC.
     *
     * @param id its identity
     * @return the phase; {@code NOT_FOUND} when there is no such job
     */
    JobPhase phase(JobId id);

    /**
     * {@return the same as {@link #phase(JobId)}, by type and id}
     *
     * @param type its type
     * @param id its id
     */
    default JobPhase phase(String type, String id) {
        return phase(new JobId(type, id));
    }

    /**
     * Reads the data of a job.
     *
     * @param id its identity
     * @return the data as it is now; empty when there is no such job
     * @throws io.couchjobs.job.MalformedDocumentException when the document cannot be a job
     */
    default Optional<ObjectNode> data(JobId id) {
        return get(id).map(Job::data);
    }

    /**
     * {@return the same as {@link #data(JobId)}, by type and id}
     *
     * @param type its type
     * @param id its id
     */
    default Optional<ObjectNode> data(String type, String id) {
        return data(new JobId(type, id));
    }

    /**
     * Reads the data of a job, if the data is attached to the job's document and was not read before. Jobs from {@link #get} have
     * their data. All other jobs that this interface returns have data only if it is stored in their documents: see {@link
     * Job#hasAttachedData}.
     *
     * @param job a job of this queue
     * @return the same job with its data; if the data is damaged or missing, {@link Job#data} throws an exception with the reason
     */
    Job withData(Job job);

    /**
     * Reads the data of many jobs as {@link #withData(Job)} does, in constant memory. Reads lazily, while the stream is consumed,
     * with one request for up to 100 jobs or 4 MB.
     *
     * @param jobs jobs of this queue, such as those from {@link #all(JobFilter)} or a list
     * @return the same jobs in the same order, with their data
     */
    Stream<Job> withData(Stream<Job> jobs);

    /**
     * Streams all jobs of a type, ordered by id. See {@link #all(JobFilter)}.
     *
     * @param type the type
     * @return the jobs, read in pages while they are consumed
     */
    default Stream<Job> all(String type) {
        return all(JobFilter.all().type(type));
    }

    /**
     * Streams all jobs that match a filter, in constant memory for any number of jobs: pages are read by key while the stream is
     * consumed. A job that changes meanwhile appears in its old or new state, and at most once if its key stays the same. Malformed
     * documents are left out.
     *
     * @param filter selects the jobs
     * @return the jobs, in an unspecified order
     */
    Stream<Job> all(JobFilter filter);

    /**
     * Lists jobs, newest first. A job that exists during the whole call is never missing.
     *
     * @param filter selects the jobs
     * @param limit the highest number of jobs
     * @return the jobs, ordered by creation time. When the filter names a status and no group, class, origin, tag or correlation
     *     id, finished jobs are ordered by end time, and stuck jobs by their last failure
     */
    List<Job> list(JobFilter filter, int limit);

    /**
     * Lists jobs one page at a time, by key: each page costs the same, for any number of jobs.
     *
     * @param filter selects the jobs
     * @param after the end of the previous page, or null for the first page
     * @param limit the highest number of jobs
     * @return the page, newest jobs first; a page may be short although more pages follow, see {@link JobPage}
     */
    JobPage page(JobFilter filter, JobPage.@Nullable Place after, int limit);

    /**
     * Waits until a job has one of the given statuses.
     *
     * @param id its identity
     * @param statuses the statuses
     * @param timeout the longest time to wait
     * @return the job; empty after the timeout
     * @throws NotFoundException when there is no such job, or the job is removed meanwhile
     * @throws InterruptedException when interrupted while waiting
     */
    Optional<Job> await(JobId id, Set<JobStatus> statuses, Duration timeout) throws InterruptedException;

    /**
     * {@return the same as {@link #await(JobId, Set, Duration)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param statuses the statuses
     * @param timeout the longest time to wait
     * @throws InterruptedException when interrupted while waiting
     */
    default Optional<Job> await(String type, String id, Set<JobStatus> statuses, Duration timeout)
            throws InterruptedException {
        return await(new JobId(type, id), statuses, timeout);
    }

    /**
     * Waits until a job has finished: succeeded, failed or cancelled.
     *
     * @param id its identity
     * @param timeout the longest time to wait
     * @return the finished job; empty after the timeout
     * @throws NotFoundException when there is no such job, or the job is removed meanwhile
     * @throws InterruptedException when interrupted while waiting
     */
    default Optional<Job> awaitFinished(JobId id, Duration timeout) throws InterruptedException {
        return await(id, EnumSet.of(JobStatus.SUCCESS, JobStatus.FAILED, JobStatus.CANCELLED), timeout);
    }

    /**
     * {@return the same as {@link #awaitFinished(JobId, Duration)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param timeout the longest time to wait
     * @throws InterruptedException when interrupted while waiting
     */
    default Optional<Job> awaitFinished(String type, String id, Duration timeout) throws InterruptedException {
        return awaitFinished(new JobId(type, id), timeout);
    }

    /**
     * Calls a listener, from now on, when the status of a job changes and when another run of it has begun or ended. When changes
     * follow each other quickly, the listener may receive only the last one. A listener that falls behind by more than 10,000 jobs
     * or 32 MiB of documents misses the oldest changes; this is logged.
     *
     * @param filter selects the jobs
     * @param listener called on its own thread; its exceptions are logged
     * @return a handle that stops the watching when it is closed
     */
    default Listening watch(JobFilter filter, Consumer<JobChange> listener) {
        return watch(filter, listener, () -> {});
    }

    /**
     * Watches jobs as {@link #watch(JobFilter, Consumer)} does, and reports when changes may have been missed. This happens when
     * the server no longer knows the feed's position, because the database was recreated or restored. It also happens when the
     * listener was too slow; it is then notified once it has caught up. The listener still receives the outcome of jobs that it was
     * notified of before. Changes of other jobs are lost.
     *
     * @param filter selects the jobs
     * @param listener called on its own thread; its exceptions are logged
     * @param whenMissed called on the same thread when changes may have been missed; its exceptions are logged
     * @return a handle that stops the watching when it is closed
     */
    Listening watch(JobFilter filter, Consumer<JobChange> listener, Runnable whenMissed);

    /**
     * Subscribes the calling thread to a job: its present state and data, and future events.
     *
     * @param id its identity
     * @return the subscription, which is the same object as long as it is open; already closed when the job has finished
     * @throws NotFoundException when there is no such job
     */
    default Subscription subscribe(JobId id) {
        return subscribe(id, Thread.currentThread());
    }

    /**
     * {@return the same as {@link #subscribe(JobId)}, by type and id}
     *
     * @param type its type
     * @param id its id
     */
    default Subscription subscribe(String type, String id) {
        return subscribe(new JobId(type, id));
    }

    /**
     * Subscribes to a job: its present state and data, and future events.
     *
     * @param id its identity
     * @param subscriber the subscriber, compared by {@code equals}: the same subscriber and job share one subscription as long as
     *     it is open
     * @return the subscription; already closed when the job has finished
     * @throws NotFoundException when there is no such job
     */
    Subscription subscribe(JobId id, Object subscriber);

    /**
     * {@return the same as {@link #subscribe(JobId, Object)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param subscriber the subscriber, compared by {@code equals}: the same subscriber and job share one subscription as long as
     *     it is open
     */
    default Subscription subscribe(String type, String id, Object subscriber) {
        return subscribe(new JobId(type, id), subscriber);
    }

    /**
     * Subscribes the calling thread to many jobs. The jobs are read 500 at a time. All subscriptions of a process share one
     * connection.
     *
     * @param ids the jobs
     * @return the subscriptions by job, in the given order; jobs that do not exist or cannot be read are left out
     */
    Map<JobId, Subscription> subscribe(Collection<JobId> ids);
}

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
 * Looks at the jobs of a queue, and hears of their changes. Thread-safe. A program that changes nothing needs this type alone.
 * {@link JobQueue} says what all methods throw.
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
     * Asks for the phase of a job: its status in the words of the RFC.
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
     * Reads the data of a job, if it is attached to the job's document and was not read before. Jobs of {@link #get} have their
     * data. All other jobs that this interface hands out have it only where it is in their documents: see {@link
     * Job#hasAttachedData}.
     *
     * @param job a job of this queue
     * @return the same job with its data; where that is damaged or missing, {@link Job#data} throws the reason
     */
    Job withData(Job job);

    /**
     * Reads the data of many jobs as {@link #withData(Job)} does, in constant memory: while the stream is consumed, by one
     * request for up to 100 jobs or 4 MB.
     *
     * @param jobs jobs of this queue, such as those of {@link #all(JobFilter)} or of a list
     * @return the same jobs in the same order, with their data
     */
    Stream<Job> withData(Stream<Job> jobs);

    /**
     * Goes through all jobs of a type, in the order of their ids. See {@link #all(JobFilter)}.
     *
     * @param type the type
     * @return the jobs, read in pages while they are consumed
     */
    default Stream<Job> all(String type) {
        return all(JobFilter.all().type(type));
    }

    /**
     * Goes through all jobs that pass a filter, however many there are, in constant memory: pages are read by key while the
     * stream is consumed. A job that changes meanwhile is seen as it was before or after, at most once if it keeps its
     * place; documents that cannot be jobs are left out.
     *
     * @param filter which jobs
     * @return the jobs, in no order to rely on
     */
    Stream<Job> all(JobFilter filter);

    /**
     * Lists jobs, newest first. A job that is there all the time is never missing.
     *
     * @param filter which jobs
     * @param limit how many at most
     * @return the jobs, by their creation; when the filter names a status and no group, class, origin, tag or correlation id,
     *     finished jobs by their end, and stuck jobs by their last failure
     */
    List<Job> list(JobFilter filter, int limit);

    /**
     * Lists jobs a page at a time, by key: the last page costs as much as the first, however many jobs there are.
     *
     * @param filter which jobs
     * @param after where the page before ended, or null for the first one
     * @param limit how many jobs at most
     * @return the page, newest jobs first; it may be short though more follow, see {@link JobPage}
     */
    JobPage page(JobFilter filter, JobPage.@Nullable Place after, int limit);

    /**
     * Waits until a job has one of the given statuses.
     *
     * @param id its identity
     * @param statuses the statuses
     * @param timeout how long to wait at most
     * @return the job; empty when the time is over
     * @throws NotFoundException when there is no such job, or it is removed meanwhile
     * @throws InterruptedException when interrupted while waiting
     */
    Optional<Job> await(JobId id, Set<JobStatus> statuses, Duration timeout) throws InterruptedException;

    /**
     * {@return the same as {@link #await(JobId, Set, Duration)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param statuses the statuses
     * @param timeout how long to wait at most
     * @throws InterruptedException when interrupted while waiting
     */
    default Optional<Job> await(String type, String id, Set<JobStatus> statuses, Duration timeout)
            throws InterruptedException {
        return await(new JobId(type, id), statuses, timeout);
    }

    /**
     * Waits until a job is finished, well or badly.
     *
     * @param id its identity
     * @param timeout how long to wait at most
     * @return the finished job; empty when the time is over
     * @throws NotFoundException when there is no such job, or it is removed meanwhile
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
     * @param timeout how long to wait at most
     * @throws InterruptedException when interrupted while waiting
     */
    default Optional<Job> awaitFinished(String type, String id, Duration timeout) throws InterruptedException {
        return awaitFinished(new JobId(type, id), timeout);
    }

    /**
     * Hears from now on when the status of a job changes, and when another run of it has begun or ended. When changes follow each
     * other quickly, only the last may be told; a listener that is slow for more than 10,000 jobs or 32 MiB of documents
     * misses the oldest changes, which is logged.
     *
     * @param filter which jobs
     * @param listener called on a thread of its own; what it throws is logged
     * @return ends the watching when closed
     */
    default Listening watch(JobFilter filter, Consumer<JobChange> listener) {
        return watch(filter, listener, () -> {});
    }

    /**
     * As {@link #watch(JobFilter, Consumer)}, and tells when changes may have been missed. The server may not know the feed's
     * position any more, because the database was recreated or restored. Or the listener was too slow; it is told when it has
     * caught up. The listener still hears what became of the jobs that it was told of; changes of other jobs are lost.
     *
     * @param filter which jobs
     * @param listener called on a thread of its own; what it throws is logged
     * @param whenMissed called on the same thread; what it throws is logged
     * @return ends the watching when closed
     */
    Listening watch(JobFilter filter, Consumer<JobChange> listener, Runnable whenMissed);

    /**
     * Subscribes the calling thread to a job: its state and data now, and the events to come.
     *
     * @param id its identity
     * @return the subscription, the same one as long as it is open; closed when the job has finished already
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
     * Subscribes to a job: its state and data now, and the events to come.
     *
     * @param id its identity
     * @param subscriber who subscribes, compared by {@code equals}: the same subscriber and job have the same subscription as
     *     long as it is open
     * @return the subscription; closed when the job has finished already
     * @throws NotFoundException when there is no such job
     */
    Subscription subscribe(JobId id, Object subscriber);

    /**
     * {@return the same as {@link #subscribe(JobId, Object)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param subscriber who subscribes, compared by {@code equals}: the same subscriber and job have the same subscription as
     *     long as it is open
     */
    default Subscription subscribe(String type, String id, Object subscriber) {
        return subscribe(new JobId(type, id), subscriber);
    }

    /**
     * Subscribes the calling thread to many jobs, which are read 500 at a time. All subscriptions of a process share one
     * connection.
     *
     * @param ids the jobs
     * @return by job, in the order given, the subscriptions; jobs that do not exist or cannot be read are left out
     */
    Map<JobId, Subscription> subscribe(Collection<JobId> ids);
}

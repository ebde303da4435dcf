package io.couchjobs.test;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Assertions on jobs that a program added. Each filter method keeps the jobs that match. When no job matches, it throws an {@link
 * AssertionError} that lists the jobs before the filter. Immutable and thread-safe.
 */
public final class EnqueuedJobs {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String wanted;
    private final List<Job> jobs;
    private final InstantSource clock;
    private final String hint;

    EnqueuedJobs(String wanted, List<Job> jobs, InstantSource clock, String hint) {
        this.wanted = wanted;
        this.jobs = jobs;
        this.clock = clock;
        this.hint = hint;
    }

    /**
     * Keeps the jobs with exactly this data.
     *
     * @param data a record, bean, map or JSON object
     * @return the jobs that are left
     */
    public EnqueuedJobs withData(Object data) {
        JsonNode expected = json(data);
        return matching("with data " + expected, job -> json(job.data()).equals(expected));
    }

    /**
     * Keeps the jobs whose data contains these fields with these values. The data may have other fields.
     *
     * @param fields a record, bean, map or JSON object
     * @return the jobs that are left
     */
    public EnqueuedJobs withDataContaining(Object fields) {
        ObjectNode expected = json(fields);
        return matching("with data containing " + expected, job -> {
            ObjectNode data = json(job.data());
            return expected.properties().stream()
                    .allMatch(field -> field.getValue().equals(data.get(field.getKey())));
        });
    }

    /**
     * Keeps the job with an id.
     *
     * @param id the id
     * @return the job that is left
     */
    public EnqueuedJobs withId(String id) {
        return matching("with id " + id, job -> job.id().id().equals(id));
    }

    /**
     * Keeps the jobs that are scheduled for a time.
     *
     * @param time the scheduled time, rounded down to milliseconds
     * @return the jobs that are left
     */
    public EnqueuedJobs dueAt(Instant time) {
        Instant millis = Instant.ofEpochMilli(time.toEpochMilli());
        return timed("due at " + millis, job -> job.scheduledTime().equals(millis));
    }

    /**
     * Keeps the jobs that are scheduled for some time from now, by the test's clock.
     *
     * @param time how long from now
     * @return the jobs that are left
     */
    public EnqueuedJobs dueIn(Duration time) {
        return dueAt(clock.instant().plus(time));
    }

    /**
     * Keeps the jobs that are due now, by the test's clock. Jobs that have ended or wait for other jobs are not due.
     *
     * @return the jobs that are left
     */
    public EnqueuedJobs dueNow() {
        Instant now = clock.instant();
        return timed(
                "that is due now",
                job -> job.isClaimable() && !job.scheduledTime().isAfter(now));
    }

    /**
     * Keeps the jobs with a status.
     *
     * @param status the status
     * @return the jobs that are left
     */
    public EnqueuedJobs withStatus(JobStatus status) {
        return matching("that is " + status.json(), job -> job.status() == status);
    }

    /**
     * Keeps the jobs of a group.
     *
     * @param group the group
     * @return the jobs that are left
     */
    public EnqueuedJobs inGroup(String group) {
        return matching("in group " + group, job -> job.group().equals(group));
    }

    /**
     * Keeps the jobs with a tag.
     *
     * @param tag the tag
     * @return the jobs that are left
     */
    public EnqueuedJobs withTag(String tag) {
        return matching("with tag " + tag, job -> job.tags().contains(tag));
    }

    /**
     * Keeps the jobs that meet a condition.
     *
     * @param description the condition in words, for the message of a failure, such as {@code "with a high priority"}
     * @param condition the condition
     * @return the jobs that are left
     */
    public EnqueuedJobs matching(String description, Predicate<? super Job> condition) {
        return keep(description, condition, "");
    }

    /** Reports the test's clock on failure, because a program that reads another clock computes other times than the test. */
    private EnqueuedJobs timed(String description, Predicate<? super Job> condition) {
        return keep(
                description,
                condition,
                "\nThe clock of the test shows " + clock.instant()
                        + "; a program that computes times must read them from TestQueue.clock()");
    }

    private EnqueuedJobs keep(String description, Predicate<? super Job> condition, String more) {
        List<Job> left = jobs.stream().filter(condition).toList();
        String now = (wanted + " " + description).strip();
        if (left.isEmpty()) {
            throw new AssertionError("no job " + now + " was added, " + list(wanted, jobs) + more + hint);
        }
        return new EnqueuedJobs(now, left, clock, hint);
    }

    /**
     * Checks that one job is left.
     *
     * @return this
     */
    public EnqueuedJobs once() {
        return times(1);
    }

    /**
     * Checks how many jobs are left.
     *
     * @param count the expected number
     * @return this
     */
    public EnqueuedJobs times(int count) {
        if (jobs.size() != count) {
            throw new AssertionError("expected " + count + " of " + wanted + ", " + list(wanted, jobs) + hint);
        }
        return this;
    }

    /** {@return the jobs that are left} */
    public List<Job> jobs() {
        return jobs;
    }

    /** {@return the only job that is left} */
    public Job job() {
        return once().jobs.get(0);
    }

    static String list(String wanted, List<Job> jobs) {
        return jobs.isEmpty()
                ? "there is none of " + wanted
                : (jobs.size() == 1 ? "there is 1" : "there are " + jobs.size()) + " of " + wanted + ":"
                        + jobs.stream().map(EnqueuedJobs::line).collect(Collectors.joining());
    }

    private static String line(Job job) {
        String due = job.scheduledTime().toEpochMilli() == 0 ? "at once" : "at " + job.scheduledTime();
        return "\n  " + job.id() + " " + job.status().json() + ", due " + due + ", data " + job.data();
    }

    /** Returns the data as it looks after it was stored and read. For example, a small long becomes an int. */
    static ObjectNode json(Object data) {
        try {
            return (ObjectNode) JSON.readTree(JobData.of(data).toString());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not to be written as JSON: " + data, e);
        }
    }
}

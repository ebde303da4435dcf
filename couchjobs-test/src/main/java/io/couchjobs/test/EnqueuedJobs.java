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
 * Jobs that a program added, narrowed down step by step. When no job is left, a step fails with an {@link AssertionError} that
 * lists the jobs there were. Immutable and thread-safe.
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
     * Keeps those with exactly that data.
     *
     * @param data a record, bean, map or JSON object
     * @return the jobs that are left
     */
    public EnqueuedJobs withData(Object data) {
        JsonNode expected = json(data);
        return matching("with data " + expected, job -> json(job.data()).equals(expected));
    }

    /**
     * Keeps those whose data has at least those fields, with those values.
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
     * Keeps the one with an id.
     *
     * @param id the id
     * @return the job
     */
    public EnqueuedJobs withId(String id) {
        return matching("with id " + id, job -> job.id().id().equals(id));
    }

    /**
     * Keeps those that are to run at a time, and not before.
     *
     * @param time their scheduled time
     * @return the jobs that are left
     */
    public EnqueuedJobs dueAt(Instant time) {
        Instant millis = Instant.ofEpochMilli(time.toEpochMilli());
        return timed("due at " + millis, job -> job.scheduledTime().equals(millis));
    }

    /**
     * Keeps those that are to run some time from now, by the test's clock.
     *
     * @param time how long from now
     * @return the jobs that are left
     */
    public EnqueuedJobs dueIn(Duration time) {
        return dueAt(clock.instant().plus(time));
    }

    /**
     * Keeps those that may run now, by the test's clock: not those that have ended, and not those that wait for other jobs.
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
     * Keeps those of a status.
     *
     * @param status the status
     * @return the jobs that are left
     */
    public EnqueuedJobs withStatus(JobStatus status) {
        return matching("that is " + status.json(), job -> job.status() == status);
    }

    /**
     * Keeps those of a group.
     *
     * @param group the group
     * @return the jobs that are left
     */
    public EnqueuedJobs inGroup(String group) {
        return matching("in group " + group, job -> job.group().equals(group));
    }

    /**
     * Keeps those with a label.
     *
     * @param tag the label
     * @return the jobs that are left
     */
    public EnqueuedJobs withTag(String tag) {
        return matching("with tag " + tag, job -> job.tags().contains(tag));
    }

    /**
     * Keeps those that meet a condition.
     *
     * @param description the condition in words, for the message, such as {@code "with a high priority"}
     * @param condition what has to hold
     * @return the jobs that are left
     */
    public EnqueuedJobs matching(String description, Predicate<? super Job> condition) {
        return keep(description, condition, "");
    }

    /** A program that reads the time of day elsewhere computes other times than the test. */
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
     * @return the same
     */
    public EnqueuedJobs once() {
        return times(1);
    }

    /**
     * Checks how many jobs are left.
     *
     * @param count how many
     * @return the same
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

    /** As it is after it was stored and read: a small long is then an int. */
    static ObjectNode json(Object data) {
        try {
            return (ObjectNode) JSON.readTree(JobData.of(data).toString());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not to be written as JSON: " + data, e);
        }
    }
}

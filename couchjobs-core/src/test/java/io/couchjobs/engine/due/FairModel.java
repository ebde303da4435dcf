package io.couchjobs.engine.due;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The rules of FAIR, as plainly as they can be said: the whole list is looked through for each job. */
public final class FairModel {
    private final int high;
    private final int low;
    private final Map<String, Integer> counters = new HashMap<>();
    private @Nullable String last;

    public FairModel(int high, int low) {
        this.high = high;
        this.low = low;
    }

    private FairModel(FairModel other) {
        this(other.high, other.low);
        counters.putAll(other.counters);
        last = other.last;
    }

    public FairModel copy() {
        return new FairModel(this);
    }

    /** The job whose turn it is. */
    public Optional<Job> next(Collection<Job> jobs, Instant until) {
        List<Job> due = jobs.stream()
                .filter(job -> job.isClaimable() && !job.scheduledTime().isAfter(until))
                .toList();
        TreeSet<String> groups = new TreeSet<>();
        due.forEach(job -> groups.add(job.group()));
        if (groups.isEmpty()) {
            return Optional.empty();
        }
        String after = last == null ? groups.first() : groups.higher(last);
        String group = after == null ? groups.first() : after;
        boolean wantsHigh = counters.getOrDefault(group, 0) < high;
        return due.stream()
                .filter(job -> job.group().equals(group))
                .min(Comparator.<Job, Boolean>comparing(job -> job.status() != JobStatus.STUCK)
                        .thenComparing(job -> job.status() != JobStatus.STUCK && isHigh(job) != wantsHigh)
                        .thenComparing(Job::scheduledTime)
                        .thenComparing(Job::id));
    }

    /** The round begins with this group, which has a due job. */
    public void beginAt(String group) {
        last = group.isEmpty()
                ? null
                : group.substring(0, group.length() - 1) + (char) (group.charAt(group.length() - 1) - 1) + "\uffff";
    }

    public void claimed(Job job) {
        last = job.group();
        if (job.status() != JobStatus.STUCK) {
            counters.put(job.group(), (counters.getOrDefault(job.group(), 0) + 1) % (high + low));
        }
    }

    /** What two jobs must have in common to be the same choice: their ids decide nothing. */
    public static List<Object> place(Job job) {
        boolean stuck = job.status() == JobStatus.STUCK;
        return List.of(job.group(), stuck, stuck || isHigh(job), job.scheduledTime());
    }

    private static boolean isHigh(Job job) {
        return job.priority() > 50;
    }
}

package io.couchjobs.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import io.couchjobs.job.MalformedJobException;
import io.couchjobs.job.Rev;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The leaves of a job's document that are not deleted, the one that readers see first; nearly always there is one. Leaves that
 * cannot be jobs are left out when there are others. Immutable and thread-safe.
 *
 * @param jobs the job as each leaf says it is; none when there is no such job
 */
public record Leaves(List<Job> jobs) {
    private static final String CONFLICTS = "_conflicts";

    /**
     * Copies the list.
     *
     * @param jobs the job as each leaf says it is
     */
    public Leaves {
        jobs = List.copyOf(jobs);
    }

    /** One request, and a second one only where there are conflicts. */
    static Leaves read(CouchDatabase database, JobId id) {
        Optional<ObjectNode> winner = database.getWithConflicts(id.docId());
        if (winner.isEmpty()) {
            return new Leaves(List.of());
        }
        if (winner.get().remove(CONFLICTS) == null) {
            return new Leaves(List.of(Job.parse(winner.get())));
        }
        List<Job> jobs = new ArrayList<>();
        parse(winner.get()).ifPresent(jobs::add);
        database.leaves(id.docId()).stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .filter(leaf -> !leaf.path("_rev").equals(winner.get().path("_rev")))
                .forEach(leaf -> parse(leaf).ifPresent(jobs::add));
        if (jobs.isEmpty()) {
            jobs.add(Job.parse(winner.get()));
        }
        return new Leaves(jobs);
    }

    private static Optional<Job> parse(ObjectNode leaf) {
        try {
            return Optional.of(Job.parse(leaf));
        } catch (MalformedJobException written) {
            return Optional.empty();
        }
    }

    /** {@return the leaf that readers see; empty when there is no such job} */
    public Optional<Job> winner() {
        return jobs.stream().findFirst();
    }

    /** {@return whether there are several} */
    public boolean areInConflict() {
        return jobs.size() > 1;
    }

    /**
     * The leaf by which a claim owns the job.
     *
     * @param token the claim's token
     * @return the leaf, of several the one that was written most often; empty when the claim does not own the job any more
     */
    public Optional<Job> ownedBy(String token) {
        return jobs.stream()
                .filter(job -> job.isLockedBy(token))
                .max(Comparator.comparingLong(job -> Rev.generation(job.rev().orElse(""))));
    }

    /** The leaf that a claim left, though it be withdrawn. */
    Optional<Job> leftBy(String token) {
        return first(
                job -> job.lock().filter(lock -> lock.token().equals(token)).isPresent());
    }

    Optional<Job> first(Predicate<Job> which) {
        return jobs.stream().filter(which).findFirst();
    }

    /**
     * Whether somebody else may have the job instead of the claim that made this leaf, whose lease is over: with a greater
     * fence, or with the same while this run has not ended well or for good.
     */
    boolean rival(Job own, String token) {
        boolean hasEnded = own.state() == JobState.FINISHED;
        return jobs.stream()
                .filter(job -> !job.rev().equals(own.rev()) && !job.isLockedBy(token))
                .anyMatch(job ->
                        job.effectiveFence() > own.fence() || (job.effectiveFence() == own.fence() && !hasEnded));
    }
}
